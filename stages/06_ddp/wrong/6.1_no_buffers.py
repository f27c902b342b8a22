        for parameter in self.module.parameters():
            broadcast(parameter, src=0)
