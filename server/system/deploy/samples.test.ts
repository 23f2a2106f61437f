import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ipaddr from 'ipaddr.js'
import { describe, expect, it } from 'vitest'
import { parseConfig } from '../../config.ts'
import { isSetting, settingOfFileKey } from '../../settings/names.ts'
import { testSecret } from '../../testing/settings.ts'
import { temporaryFolder } from '../../testing/temporary-folder.ts'
import { readSample, sample, yamlSample } from './samples.ts'

const page = (name: string) => readFileSync(fileURLToPath(new URL(`../../../${name}`, import.meta.url)), 'utf8')
const known = (name: string) => isSetting(name) || settingOfFileKey(name) !== undefined
const { version } = JSON.parse(page('package.json')) as { version: string }

describe('Kubernetes', () => {
  interface Container {
    readonly image: string
    readonly args: readonly string[]
    readonly securityContext: object
    readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[]
    readonly readinessProbe: { readonly httpGet: object; readonly failureThreshold: number }
    readonly livenessProbe: { readonly httpGet: object }
    readonly lifecycle: { readonly preStop: { readonly exec: { readonly command: readonly string[] } } }
  }
  interface Spec {
    readonly replicas: number
    readonly minAvailable: number
    readonly selector: object
    readonly strategy: object
    readonly template: {
      readonly metadata: { readonly labels: object }
      readonly spec: {
        readonly securityContext: { readonly fsGroup: number; readonly runAsNonRoot: boolean }
        readonly containers: readonly [Container]
        readonly volumes: readonly { readonly name: string; readonly secret?: { readonly defaultMode: number } }[]
        readonly terminationGracePeriodSeconds: number
        readonly restartPolicy: string
      }
    }
  }
  interface Item {
    readonly kind: string
    readonly metadata: { readonly name: string }
    readonly data: Record<string, string>
    readonly spec: Spec
  }
  const { items } = yamlSample<{ items: readonly Item[] }>('kubernetes/postern.yml')
  const of = (kind: string) => items.find((item) => item.kind === kind)!
  const { spec } = of('Deployment')
  const [container] = spec.template.spec.containers

  it('sets settings that there are, and secrets by files', () => {
    const { data } = of('ConfigMap')
    expect(Object.keys(data).filter((name) => !known(name))).toEqual([])
    const mounted = container.volumeMounts.find(({ name }) => name === 'secrets')?.mountPath
    for (const name of ['SECRETS', 'DATABASE_URL', 'SMTP_URL']) expect(data[`${name}_FILE`]).toMatch(`${mounted}/`)
    const { SECRETS_FILE, DATABASE_URL_FILE, SMTP_URL_FILE, ...plain } = data
    const secrets = { SECRET: testSecret, DATABASE_URL: 'postgres://db/id', SMTP_URL: 'smtps://mail.example.com' }
    expect(parseConfig({ ...plain, ...secrets })).toMatchObject({ MIGRATE: false, METRICS: true })
    expect(SECRETS_FILE && DATABASE_URL_FILE && SMTP_URL_FILE).toBeTruthy()
  })

  it('hands secrets over in the only way in which the service takes them', () => {
    const { volumes, securityContext } = spec.template.spec
    expect(volumes.find(({ name }) => name === 'secrets')?.secret?.defaultMode).toBe(0o440)
    expect(securityContext).toMatchObject({ fsGroup: 10_001, runAsNonRoot: true, runAsUser: 10_001 })
    expect(container.securityContext).toMatchObject({
      readOnlyRootFilesystem: true,
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
    })
  })

  it('asks the service what it answers, and leaves it the time to leave', () => {
    expect(container.readinessProbe).toMatchObject({ httpGet: { path: '/api/auth/ready' }, failureThreshold: 1 })
    expect(container.livenessProbe).toMatchObject({ httpGet: { path: '/api/auth/ok' } })
    const [, pause] = container.lifecycle.preStop.exec.command
    // The second of notice, ten for requests, five for the database, and some.
    expect(spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThan(Number(pause) + 20)
  })

  it('keeps one instance through updates and work on nodes', () => {
    expect(spec.replicas).toBe(2)
    expect(spec.strategy).toEqual({ rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } })
    const { minAvailable, selector } = of('PodDisruptionBudget').spec
    expect([minAvailable, selector]).toEqual([1, { matchLabels: spec.template.metadata.labels }])
    expect(of('Service').spec.selector).toEqual(spec.template.metadata.labels)
  })

  it('migrates by a job of the same version and image', () => {
    const job = of('Job')
    const [migration] = job.spec.template.spec.containers
    expect([migration.args, migration.image, container.args]).toEqual([['migrate'], `postern:${version}`, ['serve']])
    expect([job.metadata.name, container.image]).toEqual([`postern-migrate-${version}`, `postern:${version}`])
    expect([job.spec.template.spec.restartPolicy, spec.template.spec.restartPolicy]).toEqual(['Never', 'Always'])
    expect(job.spec.template.metadata.labels).not.toEqual(spec.template.metadata.labels)
  })
})

describe('Compose', () => {
  interface Service {
    readonly env_file?: string
    readonly environment: Record<string, string>
    readonly command?: string[]
    readonly healthcheck?: { readonly test: readonly string[] }
    readonly networks?: { readonly default: { readonly ipv4_address: string } }
  }
  interface Compose {
    readonly services: Record<string, Service>
    readonly networks: { readonly default: { readonly ipam: { readonly config: readonly [IpRange] } } }
  }
  interface IpRange {
    readonly subnet: string
    readonly ip_range: string
  }
  const { services, networks } = yamlSample<Compose>('compose/compose.yml')

  it('starts two instances that are alike, and what they need', () => {
    expect(Object.keys(services).toSorted()).toEqual(
      'caddy mail migrate pgbouncer postern-1 postern-2 postgres'.split(' '),
    )
    expect(services['postern-1']).toEqual(services['postern-2'])
    expect(services['migrate']?.command).toEqual(['migrate'])
    expect(services['caddy']?.environment['UPSTREAMS']).toBe('postern-1:4100 postern-2:4100')
  })

  it('trusts the address of Caddy, which no other container gets while Caddy is away', () => {
    const [{ subnet, ip_range: others }] = networks.default.ipam.config
    const address = services['caddy']?.networks?.default.ipv4_address ?? ''
    expect(services['postern-1']?.environment['TRUSTED_PROXIES']).toBe(address)
    const isIn = (range: string) => ipaddr.parse(address).match(ipaddr.parseCIDR(range))
    expect([isIn(subnet), isIn(others)]).toEqual([true, false])
    expect(ipaddr.parse(others.split('/')[0] ?? '').match(ipaddr.parseCIDR(subnet))).toBe(true)
  })

  it('asks PostgreSQL over TCP, where it listens only once its database is there', () => {
    expect(services['postgres']?.healthcheck?.test).toContain('--host=127.0.0.1')
  })

  it('hands every setting of .env over, SECRETS and providers too', () => {
    const given = ['postern-1', 'postern-2', 'migrate'].map((name) => services[name]!)
    expect(given.map((service) => service.env_file)).toEqual(['.env', '.env', '.env'])
    // What stands here would win, even when it is empty.
    expect(given.flatMap(({ environment }) => Object.keys(environment)).filter((name) => /SECRET/.test(name))).toEqual(
      [],
    )
  })

  it('sets settings that there are, with values that they take', () => {
    const { environment } = services['postern-1']!
    expect(Object.keys(environment).filter((name) => !known(name))).toEqual([])
    const words: Record<string, string> = { POSTGRES_PASSWORD: 'pw' }
    const filled = Object.entries(environment).map(([name, text]) => [
      name,
      text.replaceAll(/\$\{(\w+)(?::[-?]([^}]*))?\}/g, (_, word: string, otherwise = '') => words[word] ?? otherwise),
    ])
    const config = parseConfig({ NODE_ENV: 'production', SECRET: testSecret, ...Object.fromEntries(filled) })
    expect([config.BASE_URL.origin, config.DATABASE_URL]).toEqual([
      'https://id.localhost',
      'postgres://postern:pw@pgbouncer:6432/postern',
    ])
  })
})

describe('Prometheus and Grafana', () => {
  interface Rule {
    readonly alert: string
    readonly expr: string
  }
  const { groups } = yamlSample<{ groups: readonly [{ rules: readonly Rule[] }] }>('prometheus/alerts.yml')
  const [{ rules }] = groups
  const operations = page('docs/operations.md')
  const metrics = Array.from(
    operations.matchAll(/^\| `([a-z0-9_]+)` \| (?:gauge|counter|histogram)/gm),
    ([, name]) => name,
  )
  const namesIn = (query: string) =>
    Array.from(query.matchAll(/\b(?:postern|http|process|nodejs)_[a-z0-9_]+/g), ([name]) =>
      name.replace(/_bucket$/, ''),
    )

  it('alert on metrics that the service exports', () => {
    expect(metrics.length).toBeGreaterThan(20)
    expect(rules.flatMap(({ expr }) => namesIn(expr)).filter((name) => !metrics.includes(name))).toEqual([])
  })

  it('have a runbook and a test for each alert', () => {
    const alerts = rules.map(({ alert }) => alert)
    const tests = yamlSample<{ tests: { name: string; alert_rule_test: { exp_alerts?: object[] }[] }[] }>(
      'prometheus/alerts-cases.yml',
    ).tests.filter(({ alert_rule_test: asked }) => asked.some(({ exp_alerts: fired }) => fired?.length === 1))
    expect([...new Set(tests.map(({ name }) => name.split(',')[0]))]).toEqual(alerts)
    expect(alerts.filter((alert) => !operations.includes(`\n### ${alert}\n`))).toEqual([])
  })

  it('draw metrics that the service exports, and all of them', () => {
    const { panels } = JSON.parse(readSample('grafana/postern.json')) as {
      panels: readonly { targets: readonly { expr: string }[] }[]
    }
    const drawn = new Set(panels.flatMap(({ targets }) => targets.flatMap(({ expr }) => namesIn(expr))))
    expect(drawn).toEqual(new Set(metrics))
  })
})

describe('systemd', () => {
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
    expect(filesOf(unit).filter(({ name }) => !known(name))).toEqual([])
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
    const inherited = [
      'HOST="$(printf "caf\\351 PORT=1")"',
      'LC_ALL=C.UTF-8',
      'PGPASSWORD=pw',
      'NODE_EXTRA_CA_CERTS=/x',
    ]
    const script = scriptIn(folder)
    const { stdout, stderr } = spawnSync('/bin/sh', ['-c', `export ${inherited.join(' ')}\nexec sh -c "$0"`, script], {
      encoding: 'utf8',
    })
    expect(stderr).toBe('')
    expect(stdout).not.toMatch(/^HOST=/m)
    const kept = ['LC_ALL=C.UTF-8', 'PGPASSWORD=pw', 'NODE_EXTRA_CA_CERTS=/etc/ssl/own.pem']
    expect(stdout.split('\n')).toEqual(expect.arrayContaining([...kept, 'PATH=/usr/sbin:/usr/bin:/sbin:/bin']))
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
    const asked = /targets: \[(.+)\] \}\]\n$/.exec(readSample('prometheus/prometheus.yml'))?.[1]
    expect(asked).toBe(['4101', '4102'].map((instance) => `'127.0.0.1:${metrics?.(instance)}'`).join(', '))
    for (const instance of ['4101', '4102'])
      expect(readSample('nginx/postern.conf')).toContain(`127.0.0.1:${port?.(instance)} `)
  })
})
