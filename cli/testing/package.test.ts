import { mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startPty } from './pty.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
// Below the temporary folder directly: as root, the database's own user must be able to enter.
let folder: string
let bin: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postern-package-'))
  const packed = await execa('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder], { cwd: root })
  const [{ filename }] = JSON.parse(packed.stdout) as [{ filename: string }]
  await mkdir(join(folder, 'app'))
  const install = ['install', '--omit=dev', '--prefer-offline', '--no-audit', '--no-fund', join(folder, filename)]
  await execa('npm', install, { cwd: join(folder, 'app') })
  bin = join(folder, 'app', 'node_modules', '.bin', 'postern')
}, 120_000)
afterAll(() => rm(folder, { recursive: true, force: true }))

describe('the packed package', () => {
  it('holds what runs and nothing else', async () => {
    const inside = join(folder, 'app', 'node_modules', 'postern')
    expect((await readdir(inside)).toSorted()).toEqual(['README.md', 'bin', 'dist', 'migrations', 'package.json'])
    const files = await readdir(inside, { recursive: true })
    expect(files.filter((file) => /test|fixture|\.tsx?$/.test(file))).toEqual([])
    expect((await stat(join(inside, 'dist', 'cli', 'main.js'))).size).toBeLessThan(200_000)
  })

  it('installs the packages that README lists, each with its reason', async () => {
    const { dependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { dependencies: object }
    const readme = await readFile(join(root, 'README.md'), 'utf8')
    for (const name of Object.keys(dependencies)) expect(readme).toMatch(new RegExp(`\\| \`${name}\` \\| \\w`))
  })

  it('serves, signs up and shows the terminal UI without development packages', { timeout: 60_000 }, async () => {
    const port = String(20_000 + (process.pid % 20_000))
    const env = {
      PATH: process.env.PATH ?? '',
      HOME: folder,
      POSTERN_URL: `http://localhost:${port}`,
      POSTERN_STATE_DIR: join(folder, 'state'),
    }
    const service = execa(bin, ['serve'], {
      extendEnv: false,
      env: { ...env, PORT: port, DATA_DIR: `${folder}-data`, LOG_LEVEL: 'error' },
      reject: false,
    })
    try {
      await untilReady(`http://localhost:${port}/api/auth/ready`)
      const args = ['sign-up', '--email', 'ann@example.com', '--name', 'Ann', '--password-file', '-', '--json']
      const common = await execa(bin, args, { extendEnv: false, env, input: 'Password1', reject: false })
      expect([common.exitCode, JSON.parse(common.stderr).error.code]).toEqual([12, 'PASSWORD_TOO_COMMON'])
      const { stdout } = await execa(bin, args, { extendEnv: false, env, input: 'correct horse battery' })
      expect(JSON.parse(stdout)).toMatchObject({ status: 'created' })
      const terminal = startPty(bin, ['tui'], { env })
      await terminal.shows('ann@example.com')
      terminal.type('q')
      expect(await terminal.exit).toEqual({ exitCode: 0, signal: 0 })
      terminal.close()
    } finally {
      service.kill('SIGINT')
      expect((await service).exitCode).toBe(0)
      await rm(`${folder}-data`, { recursive: true, force: true })
    }
  })
})

async function untilReady(url: string): Promise<void> {
  for (let tries = 0; tries < 600; tries += 1) {
    const isReady = await fetch(url).then(
      (answer) => answer.ok,
      () => false,
    )
    if (isReady) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error('The packed service did not become ready')
}
