// Writes into a jar: `many COUNT` keeps that many cookies of its own, `pair` sets two cookies to the same number for ever,
// `adopt LENGTH` replaces the session by tokens of that length until it cannot.
import { openJar } from '../client/jar/jar.ts'

const [file = '', origin = '', umask = '', what = '', name = ''] = process.argv.slice(2)
process.umask(Number.parseInt(umask, 8))
const say = (line: string) => process.stdout.write(`${line}\n`)
// Longer than a person would wait: on a busy machine eight processes take turns slowly.
const jar = await openJar(file, origin, 'me@example.com', { lock: { wait: 100_000 } })
const answer = (...lines: string[]) => jar.store(`${origin}/api/auth/ok`, lines)

if (what === 'many') {
  const numbers = Array.from({ length: Number(name) }, (_, number) => number)
  await Promise.all(numbers.map((number) => answer(`c${process.pid}-${number}=${number}; Path=/; Max-Age=600`)))
  say('done')
}
if (what === 'pair') {
  say('ready')
  for (let number = 1; ; number++) {
    await answer(`a=${number}; Path=/`, `b=${number}; Path=/`)
    say(`kept ${number}`)
  }
}
if (what === 'adopt') {
  say('ready')
  try {
    for (let number = 1; ; number++) {
      await jar.replaceSession(String(number).padStart(Number(name), 't'))
      say(`kept ${number}`)
    }
  } catch (error) {
    say(`failed: ${error instanceof Error ? error.message : String(error)}`)
  }
}
