import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createJiti } from 'jiti'

// Not the program `jiti`: that keeps what it made of our files in a shared temporary folder, and runs what it finds there.
const fsCache = fileURLToPath(new URL('../../node_modules/.cache/jiti', import.meta.url))

const [file = ''] = process.argv.splice(2, 1)
await createJiti(import.meta.url, { fsCache }).import(resolve(file))
