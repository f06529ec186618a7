from gorocm import main

main()
