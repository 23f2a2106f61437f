import { chmodSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { expect, it, vi } from 'vitest'
import { slack } from '../../server/testing/slack.ts'
import { temporaryFolder } from '../../server/testing/temporary-folder.ts'

// All of the demo, a process for each of its commands.
vi.setConfig({ testTimeout: 600_000 * slack })

// Short: the demo's own database has its socket below.
const temporary = temporaryFolder('pd')
chmodSync(temporary, 0o755)

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url))

it('drives the main job through the real service and ends by itself', async () => {
  const demo = execa(process.execPath, [path('run-typescript.js'), path('demo.ts')], {
    extendEnv: false,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, TEST_SLACK: process.env.TEST_SLACK, TMPDIR: temporary },
    reject: false,
  })
  const { exitCode, stdout, stderr } = await demo
  expect(stderr).toBe('')
  expect(exitCode).toBe(0)
  for (const command of ['sign-up', 'sign-in', 'whoami', 'session list', 'session revoke', 'sign-out', 'dev mail'])
    expect(stdout).toContain(`$ postern ${command}`)
  for (const command of ['org create', 'invitation create', 'profile create'])
    expect(stdout).toContain(`$ postern ${command}`)
  for (const command of ['invitation accept', 'role check']) expect(stdout).toContain(`$ postern -P ben ${command}`)
  for (const command of ['email verify', 'password forgot', 'password reset'])
    expect(stdout).toContain(`$ postern account ${command}`)
  for (const command of ['sign-in --provider google --start', 'sign-in --resume', 'account link list'])
    expect(stdout).toContain(`$ postern ${command}`)
  expect(stdout).toContain('$ postern admin bootstrap')
  for (const command of ['admin user ban', 'admin user unban', 'key create', 'key revoke', 'api /token'])
    expect(stdout).toContain(`$ postern -A ann@example.com ${command}`)
  expect(stdout).toContain('and says that ann@example.com asks')
  expect(stdout).toMatch(/approves +→ Approved/)
  expect(stdout).toContain('All of it worked')
  expect(readdirSync(temporary)).toEqual([])
})
