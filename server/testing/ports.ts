import { once } from 'node:events'
import { createServer } from 'node:net'

/** Where one test worker's ports begin is `first` plus its number times `share`. */
interface Range {
  readonly first: number
  readonly share: number
}

const workers = 12
// Below what a system hands out by itself (Linux from 32768, others from 49152).
const usual: Range = { first: 20_000, share: 1000 }

/** Where an address has to be as wide as the one of the documentation. */
export const fourDigits: Range = { first: 7000, share: 200 }

/** Another run beside this one takes other ports. */
const beside = Number(process.env.TEST_RUN ?? 0) * (workers / 2)
const worker = (Number(process.env.VITEST_POOL_ID ?? 0) + beside) % workers
// Anywhere in the share, since another run on this machine has the same one.
let given = Math.floor(Math.random() * usual.share)

/**
 * A port of loopback where nobody listens, and where nobody else will: no other test of this run, and no program that takes
 * any free port. For a service that has to know its address beforehand, gives it up for a while, or is not there.
 */
export async function freePort({ first, share }: Range = usual): Promise<number> {
  for (let tried = 0; tried < share; tried += 1) {
    given += 1
    const port = first + worker * share + (given % share)
    if (await isFree(port)) return port
  }
  throw new Error(`No port is free from ${first + worker * share} on`)
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1')
  const isListening = await once(server, 'listening').then(
    () => true,
    () => false,
  )
  if (isListening) await once(server.close(), 'close')
  return isListening
}
