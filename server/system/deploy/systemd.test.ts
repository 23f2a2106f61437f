import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../testing/temporary-folder.ts'
import { isKnown, page, readSample, sample } from './samples.ts'

const filesOf = (unit: string) =>
  Array.from(unit.matchAll(/^Environment=(\w+)=%d\/([\w-]+)$/gm), ([, name = '', file = '']) => ({ name, file }))
const credentialsOf = (unit: string) => Array.from(unit.matchAll(/^LoadCredential=([\w-]+):/gm), ([, name]) => name)
const unit = readSample('systemd/postern.service')
const backup = readSample('systemd/postern-backup.service')
const settingsFile = /^EnvironmentFile=(.+)$/m.exec(unit)?.[1] ?? ''

/** `postern-service`, which works in this folder and tells what it would give to node. */
const scriptIn = (folder: string) =>
  readSample('systemd/postern-service')
    .replace(/^cd \S+/m, `cd '${folder}'`)
    .replace(/^exec \S+ (.+)$/m, 'env\npwd\nexec printf "%s\\n" $1')

/** Not every machine that runs the tests has it. */
const withoutOpenssl = (script: string) =>
  script.replaceAll(/openssl rand -base64 (\d+)/g, 'head -c $1 /dev/urandom | base64')

/** What `postern-service serve --check` gives to node, told by a program in its place: its variables, then its arguments. */
function wrapped(variables: Record<string, string>) {
  const folder = temporaryFolder('service')
  writeFileSync(`${folder}/postern.env`, '')
  const env = { PATH: process.env['PATH'], ...variables }
  const { stdout } = spawnSync('/bin/sh', ['-c', scriptIn(folder), 'sh', 'serve', '--check'], {
    env,
    encoding: 'utf8',
  })
  const given = Array.from(stdout.matchAll(/^(\w+_FILE)=\/etc\/postern\//gm), ([, name]) => name)
  return { given, lines: stdout.trim().split('\n'), folder }
}

it('hands secrets over by files that systemd keeps', () => {
  expect(filesOf(unit).map(({ file }) => file)).toEqual(credentialsOf(unit))
  expect(filesOf(unit).filter(({ name }) => !isKnown(name))).toEqual([])
  expect(credentialsOf(backup)).toEqual([...credentialsOf(unit), 'backup-passphrase'])
})

it('gives the backup the settings of the service, which its config file may need', () => {
  const settingsOf = (text: string) => text.match(/^(Environment(File)?|WorkingDirectory)=.+$/gm)
  expect(settingsOf(backup)).toEqual(settingsOf(unit))
})

it('lets the threads that hash passwords give way to the one that answers requests', () => {
  const filters = Array.from(unit.matchAll(/^SystemCallFilter=(.+)$/gm), ([, filter]) => filter)
  expect(filters.indexOf('setpriority')).toBeGreaterThan(filters.indexOf('~@privileged @resources'))
})

it('confines the backup as it confines the service', () => {
  const confinement = (text: string) =>
    text.slice(text.indexOf('AmbientCapabilities=')).replace(/\n+\[Install][^]*/, '')
  expect(confinement(backup).trim()).toBe(confinement(unit).trim())
})

it.each([
  [undefined, ['SECRETS_FILE', 'SMTP_URL_FILE', 'DATABASE_URL_FILE']],
  ['postgres://elsewhere/id', ['SECRETS_FILE', 'SMTP_URL_FILE']],
])('runs commands with the secrets of the service, and another database if one is given: %s', (url, names) => {
  const { given, lines } = wrapped(url === undefined ? {} : { DATABASE_URL: url })
  expect(new Set(given)).toEqual(new Set(names))
  expect(lines).toContain('NODE_ENV=production')
  expect(lines.slice(-2)).toEqual(['serve', '--check'])
  expect(lines.at(-4)).toBe(`--env-file=${settingsFile}`)
})

it('runs commands where the service runs, without the settings of the caller', () => {
  const { lines, folder } = wrapped({
    PORT: '1',
    HOST: 'a\nBASE_URL=b',
    NODE_OPTIONS: '--no-warnings',
    TERM: 'xterm',
  })
  expect(lines).toContain(folder)
  expect(lines).toContain('TERM=xterm')
  expect(lines.filter((line) => /^(PORT|HOST|BASE_URL|NODE_OPTIONS)=/.test(line))).toEqual([])
  const { 1: place } = /^cd (\S+)/m.exec(readSample('systemd/postern-service')) ?? []
  const folders = [unit, backup].map((text) => /^WorkingDirectory=(.+)$/m.exec(text)?.[1])
  expect([place, ...folders]).toEqual(Array.from({ length: 3 }, () => dirname(settingsFile)))
})

it('keeps settings of the caller out in whatever bytes they are, and reads the authority for Node.js from the file', () => {
  const folder = temporaryFolder('service')
  writeFileSync(`${folder}/postern.env`, 'NODE_EXTRA_CA_CERTS="/etc/ssl/own.pem"\n')
  const inherited = ['HOST="$(printf "caf\\351 PORT=1")"', 'LC_ALL=C.UTF-8', 'PGPASSWORD=pw', 'NODE_EXTRA_CA_CERTS=/x']
  const script = scriptIn(folder)
  const { stdout, stderr } = spawnSync('/bin/sh', ['-c', `export ${inherited.join(' ')}\nexec sh -c "$0"`, script], {
    encoding: 'utf8',
  })
  expect(stderr).toBe('')
  expect(stdout).not.toMatch(/^HOST=/m)
  const kept = ['LC_ALL=C.UTF-8', 'PGPASSWORD=pw', 'NODE_EXTRA_CA_CERTS=/etc/ssl/own.pem']
  expect(stdout.split('\n')).toEqual(expect.arrayContaining([...kept, 'PATH=/usr/sbin:/usr/bin:/sbin:/bin']))
})

it('checks another version than the one that runs', () => {
  const { lines } = wrapped({ POSTERN: '/srv/postern-0.2.0' })
  expect(lines.at(-3)).toBe('/srv/postern-0.2.0/node_modules/postern/bin/postern.js')
  expect(lines.filter((line) => line.startsWith('POSTERN='))).toEqual([])
  expect(wrapped({}).lines.at(-3)).toBe('/srv/postern/node_modules/postern/bin/postern.js')
})

describe('postern.env', () => {
  const read = (text: string) => {
    const folder = temporaryFolder('service')
    writeFileSync(`${folder}/postern.env`, text)
    return spawnSync('/bin/sh', ['-c', scriptIn(folder), 'sh', 'serve', '--check'], { encoding: 'utf8' })
  }

  it.each([
    'METRICS=on # for Prometheus',
    'INVITATION_URL=https://app.example.com/#/invitation/{id}',
    'MAIL_FROM= # later',
    'MAIL_FROM="Example" # later',
    "MAIL_FROM='Example' # later",
    'MAIL_FROM=`Example`',
    'MAIL_FROM=Ex\\ample',
    'MAIL_FROM="Ex\\nample"',
    'export METRICS=on',
    '# a comment with \\',
    'A heading',
  ])('is refused with a line that Node.js reads otherwise than systemd: %s', (line) => {
    const { status, stderr, stdout } = read(`# one\n${line}\nPORT=1\n`)
    expect([status, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(/^postern\.env, line 2: systemd reads it otherwise\. /)
  })

  it.each([
    '# a comment with # and \\ inside',
    '; another # one',
    'INVITATION_URL="https://app.example.com/#/invitation/{id}"',
    "MAIL_FROM='Ex#am\\ple'",
    'MAIL_FROM=Example <no-reply@example.com>',
    'APPLE_PRIVATE_KEY="-----BEGIN\nabc==\nabc\n-----END"\nPORT=1',
    "APPLE_PRIVATE_KEY='-----BEGIN\nabc==\nabc\n-----END'\n",
    'MAIL_FROM=',
  ])('is read with a line that both read alike: %s', (line) => {
    expect(read(`${line}\n`)).toMatchObject({ status: 0, stderr: '' })
  })

  it('may set all that .env.example has', () => {
    const all = readSample('.env.example').replaceAll(/^#(?=[A-Z])/gm, '')
    expect(read(all)).toMatchObject({ status: 0, stderr: '' })
  })
})

describe('the block that upgrades', () => {
  const block = /^\(\nset -e\nln -sfT[^]*?^\)$/m.exec(readSample('README.md'))?.[0] ?? ''

  /** Runs it where what it calls only tells that it was called. */
  function upgrade(waiting: string): string[] {
    const folder = temporaryFolder('upgrade')
    for (const name of ['ln', 'sleep', 'systemctl', 'postern-service']) {
      const ends = name === 'postern-service' ? waiting : 'true'
      writeFileSync(join(folder, name), `#!/bin/sh\necho ${name} "$@"\n${ends}\n`, { mode: 0o755 })
    }
    const { stdout } = spawnSync('/bin/sh', ['-c', block], { env: { PATH: folder }, encoding: 'utf8' })
    return stdout.split('\n').filter((line) => line.startsWith('systemctl'))
  }

  it('restarts one instance after the other', () => {
    expect(upgrade('true')).toEqual(['systemctl restart postern@4101', 'systemctl restart postern@4102'])
  })

  it('leaves the second as it is if the first does not become ready', () => {
    expect(upgrade('false')).toEqual(['systemctl restart postern@4101'])
  })
})

it('leaves a service 25 seconds beyond its notice', () => {
  const [, limit] = /^TimeoutStopSec=(\d+)$/m.exec(unit) ?? []
  const [, notice] = /^STOP_NOTICE=(\d+)s$/m.exec(readSample('README.md')) ?? []
  expect(Number(limit)).toBeGreaterThanOrEqual(Number(notice) + 25)
})

describe('the block that writes secrets', () => {
  const block = /^\(\n[^]*?^\)$/m.exec(readSample('README.md'))?.[0] ?? ''
  const run = (folder: string, variables: Record<string, string>) => {
    const script = withoutOpenssl(block)
      .replace('/etc/postern', folder)
      .replace(/\/srv\S+\/(?=\.env)/, sample(''))
    const options = { env: { PATH: process.env['PATH'], ...variables }, encoding: 'utf8' } as const
    return spawnSync('/bin/sh', ['-c', script], options)
  }
  const contents = (folder: string) =>
    readdirSync(folder).map((name) => [
      name,
      (statSync(`${folder}/${name}`).mode & 0o777).toString(8),
      readFileSync(`${folder}/${name}`, 'utf8'),
    ])

  it('makes them readable by root only, and replaces nothing when it runs again', () => {
    const folder = temporaryFolder('secrets')
    writeFileSync(`${folder}/postern.config.ts`, '', { mode: 0o644 })
    expect(run(folder, { password: 'pw' }).stderr).toBe('')
    const first = contents(folder)
    const modes = { 'backup-passphrase': '600', 'database-url': '600', 'postern.config.ts': '644' }
    expect(Object.fromEntries(first.map(([name, mode]) => [name, mode]))).toMatchObject({
      ...modes,
      'postern.env': '600',
      secret: '600',
      'smtp-url': '600',
    })
    expect(run(folder, { password: 'other' }).stderr).toBe('')
    expect(contents(folder)).toEqual(first)
  })

  it('writes no address of a database without its password', () => {
    const folder = temporaryFolder('secrets')
    expect(run(folder, {}).status).not.toBe(0)
    expect(readdirSync(folder)).not.toContain('database-url')
  })
})

it('changes the secret in steps of which none loses the old one before the last', () => {
  const folder = temporaryFolder('secrets')
  const [, section = ''] = page('docs/configuration.md').split('## Changing the secret')
  const steps = Array.from(section.split('\n## ')[0]?.matchAll(/```sh\n([^]*?)```/g) ?? [], ([, step = '']) => step)
  writeFileSync(`${folder}/secret`, 'old\n')
  const seen = steps.map((step) => {
    spawnSync('/bin/sh', ['-c', withoutOpenssl(step).replaceAll('/etc/postern', folder)])
    return readFileSync(`${folder}/secret`, 'utf8').trim()
  })
  const fresh = seen.at(-1) ?? ''
  expect(fresh).toMatch(/^[^,]{40,}$/)
  expect(seen).toEqual([`old,${fresh}`, `${fresh},old`, fresh])
})

it('keeps backups for two weeks: find counts whole days that have passed', () => {
  expect(/-mtime \+(\d+) -delete/.exec(backup)?.[1]).toBe('13')
})

it('removes old backups, and what was left of those that a crash cut off', () => {
  const folder = temporaryFolder('backups')
  for (const name of ['postern-new.backup', 'postern-old.backup', 'postern-cut.backup.part', 'notes']) {
    writeFileSync(join(folder, name), '')
    if (name !== 'postern-new.backup') utimesSync(join(folder, name), 0, 0)
  }
  const [, find = ''] = /^ExecStartPost=(.+)$/m.exec(backup) ?? []
  spawnSync('/bin/sh', ['-c', find.replace('%S/postern-backups', folder)])
  expect(readdirSync(folder).toSorted()).toEqual(['notes', 'postern-new.backup'])
})

it('gives two instances ports of their own, which Prometheus and nginx know', () => {
  const settings = Array.from(readSample('systemd/ports.conf').matchAll(/^Environment=(\w+)=(.+)$/gm))
  const [port, metrics] = settings.map(
    ([, , value = '']) =>
      (instance: string) =>
        value.replace('%i', instance),
  )
  expect(settings.map(([, name]) => name)).toEqual(['PORT', 'METRICS_PORT'])
  // The settings file would win.
  const inFile = /<<'END'\n([^]*?)\nEND\n/.exec(readSample('README.md'))?.[1] ?? ''
  expect([inFile, readSample('.env.example')].join('\n')).not.toMatch(/^(METRICS_)?PORT=/m)
  const asked = /^ {4}static_configs: \[\{ targets: \[(.+)\] \}\]$/m.exec(readSample('prometheus/prometheus.yml'))?.[1]
  expect(asked).toBe(['4101', '4102'].map((instance) => `'127.0.0.1:${metrics?.(instance)}'`).join(', '))
  for (const instance of ['4101', '4102'])
    expect(readSample('nginx/postern.conf')).toContain(`127.0.0.1:${port?.(instance)} `)
})
