# Not a program for Node.
