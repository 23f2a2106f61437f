// Takes the lock once for every line on stdin, and writes what it did into a log that all racers share.
import { appendFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { withLock } from '../client/lock.ts'

const [path = '', log = ''] = process.argv.slice(2)
const note = (what: string) => appendFileSync(log, `${what} ${process.pid}\n`)
const say = (line: string) => process.stdout.write(`${line}\n`)

say('ready')
for await (const _ of createInterface({ input: process.stdin })) {
  await withLock(path, { wait: 60_000, onBroken: () => note('broke') }, async () => {
    note('in')
    await sleep(1)
    note('out')
  })
  say('done')
}
