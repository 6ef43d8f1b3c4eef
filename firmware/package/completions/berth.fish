complete -c berth -a '(berth completion words (commandline -opc)[2..-1])'
