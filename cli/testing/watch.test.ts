import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../server/testing/temporary-folder.ts'
import { type AnsweringService, session, startAnswers, usual } from './answers.ts'
import { type Ended, runBuilt } from './built.ts'
import { type Pty, startPty } from './pty.ts'
import { bin } from './real-service.ts'
import { createRunner } from './run-cli.ts'

let service: AnsweringService
const terminals: Pty[] = []
beforeEach(async () => {
  service = await startAnswers(usual())
})
afterEach(async () => {
  for (const terminal of terminals.splice(0)) terminal.close()
  await service.close()
})

const sessions = (...labels: string[]) => ({
  body: labels.map((label) => ({ ...session, id: `session-${label}`, token: label, label })),
})
const list = (...labels: string[]) => {
  service.answers['GET /list-sessions'] = sessions(...labels)
}
const environment = () => {
  const folder = temporaryFolder('watch')
  return {
    POSTERN_CONFIG_DIR: folder,
    POSTERN_STATE_DIR: folder,
    POSTERN_URL: service.url,
    POSTERN_TOKEN: 't',
  }
}
const watching = ['session', 'list', '--watch=500ms', '--retries', '0']

describe('at a terminal', () => {
  const watch = (options: Parameters<typeof startPty>[2] = {}) => {
    const terminal = startPty(process.execPath, [bin, ...watching], {
      ...options,
      env: { ...environment(), ...options.env },
    })
    terminals.push(terminal)
    return terminal
  }

  it('the list is drawn in place when it changes, and stays when Ctrl+C ends it', async () => {
    list('laptop')
    const terminal = watch()
    expect(await terminal.shows('laptop')).toContain('Ctrl+C ends')
    expect(await terminal.buffer()).toBe('alternate')
    list('laptop', 'phone')
    await terminal.shows('phone')
    list('phone')
    const last = await terminal.hides('laptop')
    expect(last.match(/LABEL/g)).toHaveLength(1)
    terminal.type('\u0003')
    expect((await terminal.exit).exitCode).toBe(130)
    expect(await terminal.buffer()).toBe('normal')
    expect(await terminal.screen()).toMatch(/LABEL[^]*phone/)
  })

  it('nothing is drawn while nothing changes', async () => {
    list('laptop')
    const terminal = watch()
    await terminal.shows('laptop')
    const [looks, drawn] = [service.seen.length, terminal.raw()]
    await expect.poll(() => service.seen.length).toBeGreaterThan(looks + 1)
    expect(terminal.raw()).toBe(drawn)
  })

  it('a lost service is said below the list, as text only, and no longer when it is back', async () => {
    list('laptop')
    const terminal = watch()
    await terminal.shows('laptop')
    service.answers['GET /list-sessions'] = { status: 500, body: { code: 'ODD', message: 'gone\u001b[2J' } }
    expect(await terminal.shows('gone\\u001b[2J')).toContain('laptop')
    list('phone')
    expect(await terminal.shows('phone')).not.toContain('gone')
  })

  it('a small window shows what fits, at any size', async () => {
    list(...Array.from({ length: 30 }, (_, index) => `device-${index}`))
    const terminal = watch({ columns: 42, rows: 10 })
    expect(await terminal.shows('more lines')).toContain('device-0')
    terminal.resize(100, 40)
    expect(await terminal.shows('device-29')).not.toContain('more lines')
  })

  it('SIGTERM gives the terminal back', async () => {
    list('laptop')
    const terminal = startPty(
      '/bin/sh',
      ['-c', `"$0" "$@" & wait $!; echo code $?`, process.execPath, bin, ...watching],
      {
        env: environment(),
      },
    )
    terminals.push(terminal)
    await terminal.shows('laptop')
    for (const pid of terminal.children()) process.kill(pid, 'SIGTERM')
    await terminal.shows('code 143')
    expect(await terminal.buffer()).toBe('normal')
  })

  it('Ctrl+Z gives the terminal back while it is stopped', async () => {
    list('laptop')
    const terminal = startPty('/bin/bash', ['--norc', '-i'], { env: { ...environment(), PS1: 'shell> ' } })
    terminals.push(terminal)
    await terminal.shows('shell>')
    terminal.type(`'${process.execPath}' '${bin}' ${watching.join(' ')}\r`)
    await terminal.shows('Ctrl+C ends')
    terminal.type('\u001a')
    await terminal.shows('Stopped')
    expect(await terminal.buffer()).toBe('normal')
    expect(terminal.raw().lastIndexOf('\u001b[?25h')).toBeGreaterThan(terminal.raw().lastIndexOf('\u001b[?25l'))
    list('phone')
    terminal.type('fg\r')
    await terminal.shows('phone')
    expect(await terminal.buffer()).toBe('alternate')
    terminal.type('\u0003')
    await expect.poll(terminal.buffer).toBe('normal')
    expect(await terminal.screen()).toMatch(/LABEL[^]*phone/)
  })

  it.each([{ TERM: 'dumb' }, { POSTERN_ACCESSIBLE: '1' }])(
    'each state is written below the last with %o',
    async (env) => {
      list('laptop')
      const terminal = watch({ env })
      await terminal.shows('laptop')
      list('phone')
      expect(await terminal.shows('phone')).toContain('laptop')
      expect(terminal.raw()).not.toContain('\u001b[?1049h')
    },
  )
})

describe('for a program', () => {
  /** Interrupts after the last step. Each step waits for its text on stdout or stderr, or for the end. */
  async function watch(flags: readonly string[], steps: readonly (readonly [text: string, next: () => void])[]) {
    let heard = ''
    const ended: Ended = await runBuilt([...watching, ...flags], {
      env: environment(),
      during: async (child) => {
        for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text: string) => (heard += text))
        for (const [text, next] of steps) {
          while (!heard.includes(text) && child.exitCode === null) await sleep(10)
          next()
        }
        child.kill('SIGINT')
      },
    })
    return { ...ended, lines: ended.stdout.trim().split('\n') }
  }

  it('each change is a line of JSON, also after an outage, which is said once', async () => {
    list('laptop')
    const { code, lines, stderr } = await watch(
      ['--ndjson', '--json=change,label'],
      [
        ['laptop', () => (service.answers['GET /list-sessions'] = { status: 500 })],
        ['continuing when', () => list('phone')],
        ['phone', () => {}],
      ],
    )
    expect([code, lines.map((line) => JSON.parse(line) as unknown)]).toEqual([
      130,
      [
        { change: 'added', label: 'laptop' },
        { change: 'removed', label: 'laptop' },
        { change: 'added', label: 'phone' },
      ],
    ])
    expect(stderr.split('\n')).toEqual([
      expect.stringContaining('continuing when the service answers'),
      expect.stringContaining('The service answers again'),
      '',
    ])
  })

  it('in a pipe each change is a line of values', async () => {
    list('laptop')
    const { lines } = await watch(
      [],
      [
        ['laptop', () => list('laptop', 'phone')],
        ['phone', () => {}],
      ],
    )
    expect(lines.map((line) => line.split('\t').slice(0, 2))).toEqual([
      ['added', 'laptop'],
      ['added', 'phone'],
    ])
  })

  it('one that loses its session ends like the list itself', async () => {
    list('laptop')
    const ended = watch(
      ['--ndjson'],
      [
        ['laptop', () => (service.answers['GET /list-sessions'] = { status: 401 })],
        ['no such text', () => {}],
      ],
    )
    expect((await ended).code).toBe(4)
  })

  it.each([
    ['--watch --json', '--watch never ends, so it cannot print one document'],
    ['--watch --quiet', '--quiet cannot be combined with --watch'],
    ['--watch=100ms', 'from 500ms'],
    ['--watch=soon', 'Example: --watch=10s'],
    ['--watch 10s', 'session list --help'],
  ])('`%s` is refused before anything is sent', async (flags, told) => {
    const postern = createRunner({ env: { POSTERN_URL: service.url, POSTERN_TOKEN: 't' } })
    const { code, stdout, stderr } = await postern(`session list ${flags}`)
    expect([code, stdout, service.seen]).toEqual([2, '', []])
    expect(stderr).toContain(told)
  })
})
