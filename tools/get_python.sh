#!/bin/sh
# get_python.sh OLDEST NEWEST: prints one line, how this system gets a Python 3.OLDEST to 3.NEWEST with venv and headers.
# find_python.sh and doctor.py show it. It asks the package manager which of them there are, and installs nothing.

has() { command -v "$1" >/dev/null 2>&1; }
apt_has() { LC_ALL=C apt-cache policy "$1" 2>/dev/null | grep -q 'Candidate: [0-9]'; }

if has apt-get && has apt-cache; then
    if ! apt_has python3; then
        echo "sudo apt update, then make doctor (apt has no list of packages yet)"
        exit
    fi
    knows() { apt_has "python3.$1-venv" && apt_has "python3.$1-dev"; }
    says() { echo "sudo apt install python3.$1 python3.$1-venv python3.$1-dev"; }
elif has dnf; then
    listed=$(dnf -q -C list 'python3.*-devel' 2>/dev/null </dev/null) # -C: from what is here, without the network
    knows() { echo "$listed" | grep -q "^python3\.$1-devel"; }
    says() { echo "sudo dnf install python3.$1 python3.$1-devel"; }
elif has brew; then
    knows() { brew info --formula "python@3.$1" >/dev/null 2>&1; }
    says() { echo "brew install python@3.$1"; }
else
    knows() { false; }
fi

minor=$2
while [ "$minor" -ge "$1" ]; do
    if knows "$minor"; then
        says "$minor"
        exit
    fi
    minor=$((minor - 1))
done

# Where the system has none: both of these put it where find_python.sh looks.
wanted=3.$(($2 - 1)) # not the newest: for that one some packages may have no wheels yet
if has uv; then
    echo "uv python install $wanted"
elif has pyenv; then
    echo "pyenv install $wanted"
else
    echo "get uv (https://docs.astral.sh/uv), then: uv python install $wanted"
fi
