import ipaddr from 'ipaddr.js'
import { describe, expect, it } from 'vitest'
import { defaultApiPath } from '../../../shared/service-address.ts'
import { parseConfig } from '../../config.ts'
import { testSecret } from '../../testing/settings.ts'
import { isKnown, page, readSample, yamlSample } from './samples.ts'

const { version } = JSON.parse(page('package.json')) as { version: string }

describe('Kubernetes', () => {
  interface Container {
    readonly image: string
    readonly args: readonly string[]
    readonly securityContext: object
    readonly ports: readonly { readonly name: string }[]
    readonly resources: { readonly limits: { readonly memory: string } }
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
      readonly metadata: { readonly labels: Readonly<Record<string, string>> }
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
    expect(Object.keys(data).filter((name) => !isKnown(name))).toEqual([])
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

  it('gives the alert of memory room below the limit that kills', () => {
    const [, alert] = /process_resident_memory_bytes\{[^}]*\} > (\d+)/.exec(readSample('prometheus/alerts.yml')) ?? []
    const [, limit] = /^(\d+)Mi$/.exec(container.resources.limits.memory) ?? []
    expect(Number(limit) * 2 ** 20).toBeGreaterThan(1.2 * Number(alert))
  })

  it('is found by the job of Prometheus that the alerts name', () => {
    const [, found] = /regex: (.+)$/m.exec(readSample('prometheus/prometheus.yml')) ?? []
    const { labels } = spec.template.metadata
    expect(found).toBe(`${labels['app.kubernetes.io/name']};${container.ports.at(-1)?.name}`)
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
    readonly ports?: readonly string[]
    readonly logging?: { readonly options: Readonly<Record<string, string>> }
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

  it('keeps what .env may change from taking the service away from Caddy', () => {
    expect(services['postern-1']?.environment).toMatchObject({ HOST: '0.0.0.0', PORT: '4100' })
    expect(services['caddy']?.environment['BASE_PATH']).toBe(`\${BASE_PATH:-${defaultApiPath}}`)
    expect(readSample('caddy/Caddyfile')).toContain(`health_uri {$BASE_PATH:${defaultApiPath}}/ready`)
  })

  it('is reached only where Caddy can tell the addresses of clients apart', () => {
    expect(services['caddy']?.ports).toEqual(['0.0.0.0:80:80', '0.0.0.0:443:443'])
  })

  it('lets no log fill the disk', () => {
    const options = Object.values(services).map(({ logging }) => logging?.options['max-size'])
    expect(new Set(options)).toEqual(new Set(['20m']))
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
    expect(Object.keys(environment).filter((name) => !isKnown(name))).toEqual([])
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
