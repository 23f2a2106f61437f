import { hideFromInk } from '../process/own-host.ts'

// Else CI would show no frame before the end, where a terminal of a test shows each.
hideFromInk()
