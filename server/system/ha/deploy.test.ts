import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { parseConfig } from '../../config.ts'
import { testSecret } from '../../testing/settings.ts'
import { temporaryFolder } from '../../testing/temporary-folder.ts'
import { readSample, sample } from '../deploy/samples.ts'

const checkout = fileURLToPath(new URL('../../../', import.meta.url))
const folder = join(checkout, 'deploy/ha/')
const read = (file: string) => readFileSync(`${folder}${file}`, 'utf8')
const ownFiles = ['README.md', 'fill', 'values.example']
const files = readdirSync(folder).filter((file) => !ownFiles.includes(file))
const namesIn = (file: string) => Array.from(read(file).matchAll(/@([A-Z][A-Z0-9_]*)@/g), ([, name = '']) => name)
const values = Object.fromEntries(
  Array.from(read('values.example').matchAll(/^([A-Z]\w*)=(.*)$/gm), ([, name, value = '']) => [name, value]),
)

const [, onMachines = ''] = read('README.md').split(/^## (?=On real machines$)/m)
const blocks = Array.from(
  onMachines.split('\n## ')[0]?.matchAll(/^( *)```sh\n([^]*?)```/gm) ?? [],
  ([, indent, text]) => (text ?? '').replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
)
const blockWith = (text: string) => blocks.find((block) => block.includes(text)) ?? ''
const onDatabase = blockWith(' patroni ')
const onService = blockWith(' pgbouncer ')
/** The files that the commands fill in, and where they go. */
const filled = Array.from(
  blocks.join('\n').matchAll(/^put (\S+) (\S+) (\d+) (\S+)$/gm),
  ([, file = '', owner, mode, target = '']) => ({ file, owner, mode, target }),
)
/** The files that are installed as they are, each from this folder. */
const asTheyAre = Array.from(
  blocks.join('\n').matchAll(/^install -m 0644 -D (?:\/etc\/postern-ha\/)?([\w.-]+) /gm),
  ([, file = '']) => file,
)

it('has a value for each name in its files, and no value without a name', () => {
  expect(new Set(files.flatMap(namesIn))).toEqual(new Set(Object.keys(values)))
})

it('tells of each of its files', () => {
  const readme = read('README.md')
  expect(files.filter((file) => !readme.includes(`\`${file}\``))).toEqual([])
})

it('has a place for each of its files, those with names filled in', () => {
  const [withNames, others] = [
    files.filter((file) => namesIn(file).length > 0),
    files.filter((f) => !namesIn(f).length),
  ]
  expect(filled.map(({ file }) => file).toSorted()).toEqual(withNames.toSorted())
  expect(new Set(asTheyAre)).toEqual(new Set(others))
})

it('lets nobody else read what has passwords', () => {
  const isSecret = (name: string) => /PASSWORD|SECRET|SMTP_URL/.test(name)
  const secret = filled.filter(({ file }) => namesIn(file).some(isSecret))
  expect(secret.length).toBeGreaterThan(5)
  expect(secret.filter(({ mode }) => !mode?.endsWith('00'))).toEqual([])
})

it('leaves no address to be changed outside of the values', () => {
  const settings = read('postern.env').replaceAll(/^#.*/gm, '')
  expect(settings).not.toMatch(/\d+\.\d+\.\d+|example\.|:\/\//)
  const ports = [1, 2, 3].map((number) => values[`SERVICE_${number}`]?.split(':')[1])
  expect(new Set(ports)).toEqual(new Set([/^PORT=(\d+)$/m.exec(settings)?.[1]]))
})

it('names the folders in its commands that the values name', () => {
  const { DATA, PATRONI_CONFIG, POOL_CONFIG, RUN } = values
  expect(onDatabase).toContain(`-m 0710 ${DATA}\n`)
  expect(onDatabase).toContain(`-m 0700 ${/^data-dir: (.+)$/m.exec(read('etcd.yml'))?.[1]?.replace('@DATA@', DATA!)}\n`)
  expect(onDatabase).toContain(` ${PATRONI_CONFIG}/config.yml\n`)
  expect(onService).toContain(` ${POOL_CONFIG}/userlist.txt\n`)
  expect(read('README.md').match(/\S+\/haproxy\.sock/g)).toEqual([`${RUN}/haproxy.sock`])
})

it('gives the unit of the service each credential that it wants', () => {
  const wanted = Array.from(
    readSample('systemd/postern.service').matchAll(/^(?:LoadCredential=[\w-]+:|EnvironmentFile=)(.+)$/gm),
    ([, path]) => path,
  )
  const given = filled.filter(({ owner, target }) => owner === 'root' && wanted.includes(target))
  expect(new Set(given.map(({ target }) => target))).toEqual(new Set(wanted))
  expect(wanted).toHaveLength(4)
})

describe.runIf(process.platform === 'linux')('its commands, on machines that have what Debian installs', () => {
  const machine = temporaryFolder('ha-machine')
  /** With the values of the example, and programs in place of those that need root or systemd. */
  const run = (block: string) => {
    const script = block.replaceAll(/(?<=[\s:])(?=\/(etc|srv|usr|var)\/)/g, machine)
    const env = { HOME: machine, PATH: `${join(machine, 'bin')}:${process.env['PATH']}` }
    const { status, stderr } = spawnSync('/bin/sh', ['-c', script], { cwd: checkout, env, encoding: 'utf8' })
    return { status, stderr }
  }
  const done = { status: 0, stderr: '' }
  const at = (path: string) => readFileSync(join(machine, path), 'utf8')

  beforeAll(() => {
    const samples = join(machine, 'srv/postern/node_modules/postern/deploy')
    for (const path of ['bin', 'etc/systemd/system', 'usr/local/sbin', 'var/lib'])
      mkdirSync(join(machine, path), { recursive: true })
    cpSync(sample('systemd'), join(samples, 'systemd'), { recursive: true })
    const program = (name: string, text: string) => {
      writeFileSync(join(machine, 'bin', name), `#!/bin/sh\n${text}\n`)
      chmodSync(join(machine, 'bin', name), 0o755)
    }
    for (const name of ['apt-get', 'systemctl', 'postern-service']) program(name, `echo ${name} "$@"`)
    program('openssl', `echo ${testSecret}`)
    program('ssh', 'shift\nexec "$@"')
    program(
      'scp',
      'for to; do :; done\nfor file; do [ -d "$file" ] || [ ! -e "$file" ] || cp -p "$file" "${to#*:}"; done',
    )
    // The owners are not there.
    program('install', `eval set -- "$(echo " $* " | sed 's/ -[og] [a-z]*//g')"\nPATH=/usr/bin:/bin exec install "$@"`)
  })

  it('make the passwords up, keep those that are there, and copy all of it', () => {
    const [make = '', copy = ''] = blocks
    expect(run(make)).toEqual(done)
    expect(at('postern-ha/values.env')).not.toContain('change-me')
    expect(at('postern-ha/values.env').split(`=${testSecret}\n`)).toHaveLength(5)
    writeFileSync(
      join(machine, 'postern-ha/values.env'),
      at('postern-ha/values.env').replace(`=${testSecret}`, '=kept'),
    )
    expect(run(make)).toEqual(done)
    expect(at('postern-ha/values.env')).toContain('=kept')
    expect(run(copy)).toEqual(done)
    expect(readdirSync(join(machine, 'etc/postern-ha'))).toEqual([...readdirSync(folder), 'values.env'].toSorted())
    expect(statSync(join(machine, 'etc/postern-ha/values.env')).mode & 0o777).toBe(0o600)
  })

  it('set what differs on a machine', () => {
    expect(run(blockWith('NODE=pg2'))).toEqual(done)
    for (const line of ['NODE=pg2', 'HOST=10.0.0.12', 'SERVICE_HOST=10.0.0.22'])
      expect(at('etc/postern-ha/values.env').split('\n')).toContain(line)
  })

  it.each([
    ['database', onDatabase, ['patroni']],
    ['service', onService, ['haproxy', 'pgbouncer']],
  ])('go to the end on a %s machine', (_, block, packaged) => {
    for (const name of packaged) mkdirSync(join(machine, 'etc', name))
    expect(block).toMatch(/^\(\nset -eu\napt-get install --no-install-recommends /)
    expect(run(block)).toEqual(done)
    const own = filled.filter(({ target }) => block.includes(` ${target}\n`))
    expect(own.length).toBeGreaterThan(3)
    for (const { target } of own) expect(at(target)).not.toMatch(/@[A-Z]|^$/)
    expect(readdirSync(join(machine, 'etc/postern-ha'))).not.toContain('filled')
  })

  it('make the passphrase that the unit for backups wants, and keep one that is there', () => {
    const [path = ''] =
      /(?<=^LoadCredential=backup-passphrase:).+$/m.exec(readSample('systemd/postern-backup.service')) ?? []
    const makePassphrase = blockWith(path)
    expect([run(makePassphrase), at(path).trim()]).toEqual([done, testSecret])
    expect(statSync(join(machine, path)).mode & 0o777).toBe(0o600)
    writeFileSync(join(machine, path), 'kept')
    expect([run(makePassphrase), at(path)]).toEqual([done, 'kept'])
  })

  it('leave the service with settings that it takes', () => {
    const settings = Array.from(at('etc/postern/postern.env').matchAll(/^([A-Z_]+)=(.*)$/gm), ([, name, value]) => [
      name,
      value,
    ])
    const config = parseConfig({
      ...Object.fromEntries(settings),
      SECRETS: at('etc/postern/secret').trim(),
      DATABASE_URL: at('etc/postern/database-url').trim(),
      SMTP_URL: at('etc/postern/smtp-url').trim(),
    })
    expect(config).toMatchObject({ NODE_ENV: 'production', HOST: '10.0.0.22', PORT: 4101, DATABASE_PREPARE: false })
    expect(config.TRUSTED_PROXIES).toHaveLength(3)
  })

  it('have systemd start again what ends, and etcd read its file', () => {
    const restart = (unit: string) => join(machine, `etc/systemd/system/${unit}.service.d/restart.conf`)
    expect(['etcd', 'patroni', 'pgbouncer', 'haproxy'].filter((unit) => !existsSync(restart(unit)))).toEqual([])
    expect(at('etc/systemd/system/etcd.service.d/postern.conf')).toContain(
      ` --config-file ${filled.find(({ file }) => file === 'etcd.yml')?.target}\n`,
    )
  })
})

/** The lock of a primary that cannot reach etcd has to outlive its attempts to (documentation of Patroni). */
it('lets a primary step down before its lock expires', () => {
  const [ttl, wait, retry] = ['ttl', 'loop_wait', 'retry_timeout'].map((name) =>
    Number(new RegExp(`^ +${name}: (\\d+)$`, 'm').exec(read('patroni.yml'))?.[1]),
  )
  expect(wait! + 2 * retry!).toBeLessThanOrEqual(ttl!)
})

it('leaves more connections to the primary than a pool has, however many the web is asked for', () => {
  const parts = read('haproxy.cfg').split(/^(?=\w)/m)
  const mostOf = (part: string) => {
    const text = parts.find((own) => own.startsWith(`${part}\n`)) ?? ''
    return Number(/^ {2}maxconn (\d+)$/m.exec(text)?.[1])
  }
  const pooled = Number(/^default_pool_size = (\d+)$/m.exec(read('pgbouncer.ini'))?.[1])
  expect(mostOf('global') - mostOf('listen web')).toBeGreaterThan(pooled)
  // Without it, HAProxy takes the time that a request may take to arrive.
  expect(read('haproxy.cfg')).toMatch(/^ {2}timeout http-keep-alive 60s$/m)
})

it('speaks the v2 interface of etcd, and waits for a server for less than the service does', () => {
  expect(read('patroni.yml')).toMatch(/^etcd:$/m)
  expect(read('etcd.yml')).toMatch(/^enable-v2: true$/m)
  const seconds = Number(/^query_wait_timeout = (\d+)$/m.exec(read('pgbouncer.ini'))?.[1])
  expect(seconds).toBeLessThan(5)
})
