import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { acmeAt, openAcme, tabTo } from './testing/acme.ts'
import { ada, verify } from './testing/people.ts'
import { useScreens } from './testing/screens.ts'
import { equivalentCommand, equivalentCurl } from './text/request-text.ts'

const screens = useScreens({ DEFAULT_TEAM: 'off' })

/** The words that a shell passes to the program, and what curl reads. A nested call of postern returns the token. */
function wordsFor(program: 'postern' | 'curl', line: string, token = ''): readonly string[] {
  const other = program === 'curl' ? `postern() { printf %s '${token}'; }` : 'true'
  const read = program === 'curl' ? 'cat; printf "\\0"' : 'true'
  const script = `${program}() { printf '%s\\0' "$@"; ${read}; }; ${other}; ${line}`
  return execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1)
}

const after = (words: readonly string[], flag: string) => words[words.indexOf(flag) + 1] ?? ''

/** Sends the request as curl would and returns its status. */
async function statusOf(words: readonly string[]): Promise<number> {
  const url = words.find((word) => word.startsWith('http')) ?? ''
  const [, authorization = ''] = /^header="authorization: (.*)"$/m.exec(words.at(-1) ?? '') ?? []
  const isPost = words.includes('POST')
  const headers = { authorization, ...(isPost ? { 'content-type': 'application/json' } : {}) }
  const body = isPost ? { method: 'POST', body: after(words, '--data-raw') } : {}
  return (await fetch(url, { headers, ...body })).status
}

test('each line of the log asks the same when it runs as it is printed', async () => {
  const acme = await acmeAt(screens.own)
  await verify(screens.own, ada)
  const { machine } = acme
  const ui = await openAcme(screens, acme, { size: { columns: 160, rows: 40 } })
  for (const panel of ['Invitations', 'Teams', 'Roles', 'Keys', 'Settings']) await tabTo(ui, panel)
  for (const key of ['1', '3', '4']) {
    ui.press(key)
    await ui.settled()
    await expect.poll(() => ui.store.activity.isBusy()).toBe(false)
  }
  const { requests } = ui.store.state
  expect(requests.length).toBeGreaterThan(5)
  const token = (await machine('auth token')).stdout.trim()
  for (const request of requests) {
    const line = equivalentCommand(request)
    expect(line.replace(/ -X (GET|POST)/, '')).not.toMatch(/ [A-Z]{3,}( |$)/)
    const { code } = await machine([...wordsFor('postern', line)])
    expect([line, code]).toEqual([line, 0])
    const curl = equivalentCurl(request)
    expect(curl).not.toContain(token)
    const words = wordsFor('curl', curl, token)
    expect([curl, await statusOf(words)]).toEqual([curl, request.status])
    // Everybody on the machine can read the arguments of a process.
    expect(words.slice(0, -1).join(' ')).not.toContain(token)
  }
})
