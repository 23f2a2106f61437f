import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { beforeEach, expect, it } from 'vitest'
import { createRunner, type Runner } from '../testing/run-cli.ts'
import { readSecret } from './secret.ts'

let postern: Runner

beforeEach(() => {
  postern = createRunner({ env: { POSTERN_TOKEN: 'token' } })
})

it.each([
  ['account email verify -', 'stdin has no link', 'postern account email verify - < link.txt'],
  ['account email verify - --json', 'stdin has no link', 'postern account email verify - --json < link.txt'],
  ['account password reset -', 'stdin has no link', 'postern account password reset - --password-file FILE < link.txt'],
  [
    'account delete --token-file - --confirm a@b.co',
    'stdin has no link',
    'Pipe the link in, or name a file: --token-file FILE',
  ],
  [
    'sign-in --email a@b.co --password-file -',
    'stdin has no password',
    'Pipe the password in, or name a file: --password-file FILE',
  ],
  ['sign-in --token-file -', 'stdin has no token', 'Pipe the token in, or name a file: --token-file FILE'],
  ['backup x.backup --passphrase-file -', 'stdin has no passphrase', 'Pipe the passphrase in, or name a file: '],
  ['api /update-user -F name=-', 'stdin has no value for name', 'To send an empty text: -f name='],
])('`%s` with an empty stdin says what is missing there', async (argv, message, next) => {
  const { code, stderr } = await postern(argv, { stdin: '\n' })
  const [said, hint] = argv.endsWith('--json') ? toldInJson(stderr) : told(stderr)
  expect([code, said, hint]).toEqual([2, message, expect.stringContaining(next)])
})

it.each([
  ['sign-in --email a@b.co --password-file FILE', '--password-file', 'Put the password into it, in one line'],
  ['sign-in --token-file FILE', '--token-file', 'Put the token into it, in one line'],
  ['account delete --token-file FILE --confirm a@b.co', '--token-file', 'Put the link into it, in one line'],
  ['backup x.backup --passphrase-file FILE', '--passphrase-file', 'Put the passphrase into it, in one line'],
  ['api /update-user -F name=@FILE', '-F name', 'To send an empty text: -f name='],
])('`%s` with an empty file says what belongs into it', async (argv, name, next) => {
  const file = join(postern.folder, 'empty')
  writeFileSync(file, '\n')
  const { code, stderr } = await postern(argv.replace('FILE', file))
  expect([code, ...told(stderr)]).toEqual([2, `${name} ${file} is empty`, next])
})

it('names the variable that names an empty file', async () => {
  const file = join(postern.folder, 'empty')
  writeFileSync(file, '')
  const { stderr } = await postern('sign-in --email a@b.co', { env: { POSTERN_PASSWORD_FILE: file } })
  expect(told(stderr)).toEqual([`POSTERN_PASSWORD_FILE ${file} is empty`, 'Put the password into it, in one line'])
})

it.each([
  ['sign-in --email a@b.co --password-file -', '--password-file', 'Leave --password-file out to be asked'],
  ['account email verify -', 'LINK', 'Leave LINK out to be asked'],
  // Without these, another command would run, or nobody would be asked.
  ['sign-in --token-file -', '--token-file', 'Pipe the token in, or name a file: --token-file FILE'],
  ['account delete --token-file -', '--token-file', 'Pipe the link in, or name a file: --token-file FILE'],
  ['account delete --password-file -', '--password-file', 'Pipe the password in, or name a file: --password-file FILE'],
  [
    'backup x.backup --passphrase-file -',
    '--passphrase-file',
    'Pipe the passphrase in, or name a file: --passphrase-file FILE',
  ],
  ['api /update-user -F name=-', '-F name', 'Pipe the value for name in, or name a file: -F name=@FILE'],
])('`%s` at a terminal reads nothing that would be shown', async (argv, name, next) => {
  const { code, stderr } = await postern(argv, { tty: ['stdin', 'stderr'], columns: 200, env: { NO_COLOR: '1' } })
  expect([code, ...told(stderr)]).toEqual([2, `${name} - would show what is typed`, next])
})

it('a file that is too large is told from one that cannot be read', async () => {
  const file = join(postern.folder, 'large')
  writeFileSync(file, 'x'.repeat(65_537))
  const large = await postern(['sign-in', '--email', 'a@b.co', '--password-file', file])
  expect(told(large.stderr)).toEqual([
    `--password-file ${file} is too large: at most 64 KiB`,
    'It has to hold the password and nothing else',
  ])
  const endless = await postern('sign-in --email a@b.co --password-file /dev/zero')
  expect(told(endless.stderr)[0]).toBe('--password-file /dev/zero is too large: at most 64 KiB')
  const absent = await postern('sign-in --email a@b.co --password-file /nowhere')
  expect(told(absent.stderr)).toEqual([
    '--password-file cannot be read: /nowhere (there is no such file)',
    'Give the path of a file that you may read, or - for stdin',
  ])
})

const wanted = { name: '--password-file', what: 'password', inFile: '--password-file FILE' }
const readFrom = (stdin: Readable, { signal } = new AbortController()) => readSecret('-', wanted, { stdin, signal })

it.each([
  ['pw\n', 'pw'],
  ['pw\r\n', 'pw'],
  ['pw\n\n', 'pw\n'],
  [' p w ', ' p w '],
  ['x'.repeat(65_536), 'x'.repeat(65_536)],
])('%j is a secret without its last line end alone', async (text, secret) => {
  expect(await readFrom(Readable.from([text]))).toBe(secret)
})

it.each([
  ['\uFEFFpw\r\n', 'pw'],
  ['\uFEFF\uFEFFpw', '\uFEFFpw'],
])('%j is a secret without the mark of an editor', async (text, secret) => {
  expect(await readFrom(Readable.from([text]))).toBe(secret)
})

it('a secret that is not UTF-8 is refused, so that no other one is stored in its place', async () => {
  const file = join(postern.folder, 'latin1')
  writeFileSync(file, Buffer.from('pässwörter', 'latin1'))
  const { code, stderr } = await postern(['sign-up', '--email', 'a@b.co', '--name', 'A', '--password-file', file])
  expect([code, ...told(stderr)]).toEqual([
    2,
    `--password-file ${file} is not UTF-8 text`,
    'Save the password as UTF-8',
  ])
  await expect(readFrom(Readable.from([Buffer.from([0xff, 0xfe, 0x70, 0])]))).rejects.toThrow('stdin is not UTF-8 text')
})

it('a token file may have the mark of an editor', async () => {
  const file = join(postern.folder, 'token')
  writeFileSync(file, '\uFEFFpst_x\r\n')
  const { stderr } = await postern('whoami', { env: { POSTERN_TOKEN: '', POSTERN_TOKEN_FILE: file } })
  expect(told(stderr)[0]).toBe('POSTERN_TOKEN_FILE holds a truncated or mistyped machine key: its checksum is wrong')
})

it('more than 64 KiB of stdin are refused', async () => {
  await expect(readFrom(Readable.from(['x'.repeat(65_536), 'x']))).rejects.toThrow('stdin is too large: at most 64 KiB')
})

it('stdin that stays open is not waited for after Ctrl+C', async () => {
  const stop = new AbortController()
  stop.abort(new Error('interrupted'))
  await expect(readFrom(new Readable({ read: () => {} }), stop)).rejects.toThrow('interrupted')
})

/** The message and the next step. */
const told = (stderr: string) => {
  const [, message, hint] = /^error: (.*)\n  next: (.*)$/m.exec(stderr) ?? [undefined, stderr]
  return [message, hint]
}

const toldInJson = (stderr: string) => {
  const { message, hint } = JSON.parse(stderr).error
  return [message, hint]
}
