import { writeFileSync } from 'node:fs'
import { type IncomingHttpHeaders, request as plainRequest } from 'node:http'
import { request } from 'node:https'
import { join } from 'node:path'
import { vi } from 'vitest'
import { readSample, sample } from '../system/deploy/samples.ts'
import { testCertificate, testKey } from './certificate.ts'
import type { cloneDatabase } from './database.ts'
import { settingsOf } from './database.ts'
import { Supervised } from './ha/supervised.ts'
import { freePort } from './ports.ts'
import { type Spawned, spawnServer } from './process.ts'
import { slack } from './slack.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** A proxy of `deploy`, in front of the instances at these ports. */
export interface Front {
  readonly url: string
  /** The folder of its files. */
  readonly folder: string
  readonly program: Supervised
}

/** nginx with the sample; only ports and the place of the certificate are others. */
export async function startNginx(ports: readonly number[]): Promise<Front> {
  const folder = temporaryFolder('nginx')
  const port = await freePort()
  const command = ['nginx', '-c', writeNginx(folder, [port, await freePort()], ports), '-p', folder]
  return { url: `https://127.0.0.1:${port}`, folder, program: new Supervised({ command, log: join(folder, 'log') }) }
}

/** Returns the path of the configuration. */
export function writeNginx(folder: string, [tls, plain]: readonly [number, number], ports: readonly number[]): string {
  const text = readSample('nginx/postern.conf')
    .replaceAll('/etc/ssl/postern', folder)
    .replaceAll('/var/log/nginx/error.log', 'stderr')
    .replaceAll(/\b410([12])\b/g, (_, which: string) => String(ports[Number(which) - 1]))
    .replaceAll(/(listen (?:\[::\]:)?)443/g, `$1${tls}`)
    .replaceAll(/(listen (?:\[::\]:)?)80\b/g, `$1${plain}`)
  const config = join(folder, 'nginx.conf')
  const files = { fullchain: testCertificate, privkey: testKey }
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, `${name}.pem`), content)
  writeFileSync(join(folder, 'postern.conf'), text)
  writeFileSync(config, nginxAround(folder))
  return config
}

/** The rest of nginx.conf, as a user who may write to that folder only. */
const nginxAround = (folder: string): string => `
daemon off;
${process.getuid?.() === 0 ? 'user root;' : ''}
worker_processes 1;
pid ${folder}/pid;
error_log stderr notice;
events {}
http {
  access_log ${folder}/access.log;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`).join(' ')}
  include ${folder}/postern.conf;
}
`

/** Caddy with the sample, without TLS: it would fetch a certificate. */
export async function startCaddy(ports: readonly number[], config: string = sample('caddy/Caddyfile')): Promise<Front> {
  const folder = temporaryFolder('caddy')
  const port = await freePort()
  const command = ['caddy', 'run', '--adapter', 'caddyfile', '--config', config]
  const upstreams = ports.map((port) => `127.0.0.1:${port}`).join(' ')
  const env = {
    SITE: `http://id.example.com:${port}`,
    UPSTREAMS: upstreams,
    XDG_DATA_HOME: folder,
    XDG_CONFIG_HOME: folder,
    HOME: folder,
  }
  return {
    url: `http://127.0.0.1:${port}`,
    folder,
    program: new Supervised({ command, env, log: join(folder, 'log') }),
  }
}

type Database = Awaited<ReturnType<typeof cloneDatabase>>['database']

/** Instances of the built service, which can be replaced. */
export class Instances {
  readonly ports: readonly number[]
  readonly #database: Database
  readonly #running = new Map<number, Spawned>()

  private constructor(database: Database, ports: readonly number[]) {
    this.#database = database
    this.ports = ports
  }

  static async start(database: Database): Promise<Instances> {
    const instances = new Instances(database, [await freePort(), await freePort()])
    await Promise.all(instances.ports.map((port) => instances.#startAt(port)))
    return instances
  }

  async #startAt(port: number): Promise<void> {
    const settings = {
      BASE_URL: 'https://id.example.com',
      LISTEN_EARLY: 'off',
      LOG_LEVEL: 'info',
      PORT: String(port),
      STOP_NOTICE: '3s',
      TRUSTED_PROXIES: '127.0.0.1',
    }
    const spawned = spawnServer({ ...settingsOf(this.#database), ...settings })
    this.#running.set(port, spawned)
    await spawned.untilListening()
  }

  /** Ends the instance as systemd does, starts it again, and waits until the proxy sends requests to it. */
  async replace(port: number): Promise<void> {
    await this.end(port)
    await this.#startAt(port)
    await vi.waitFor(() => this.#requireRequest(port), { timeout: 60_000, interval: 50 })
  }

  async end(port: number): Promise<void> {
    const code = await this.#running.get(port)?.kill('SIGTERM')
    if (code !== 0) throw new Error(`The instance ended with ${code}`)
  }

  #requireRequest(port: number): void {
    if (!this.#running.get(port)?.output().includes('"route":"/get-session"'))
      throw new Error('The proxy sends nothing')
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#running.values()].map((one) => one.kill('SIGTERM')))
  }
}

interface Reply {
  readonly status: number
  readonly text: string
  readonly cookies: readonly string[]
  readonly headers: IncomingHttpHeaders
}

/** A request as a client of id.example.com. Repeats nothing. */
export function send(url: string, method: string, body?: object, cookie = ''): Promise<Reply> {
  const sent = body && JSON.stringify(body)
  const headers = {
    host: 'id.example.com',
    ...(sent ? { 'content-type': 'application/json', 'content-length': Buffer.byteLength(sent) } : {}),
    ...(cookie ? { cookie } : {}),
  }
  const ask = url.startsWith('https:') ? request : plainRequest
  return new Promise((resolve, reject) => {
    const asked = ask(url, { method, headers, rejectUnauthorized: false, timeout: 30_000 * slack }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part
      })
      response.once('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          text,
          cookies: response.headers['set-cookie'] ?? [],
          headers: response.headers,
        }),
      )
    })
    asked.once('error', reject).once('timeout', () => asked.destroy(new Error('no answer')))
    asked.end(sent)
  })
}
