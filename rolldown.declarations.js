import { readFileSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import ts from 'typescript'

/**
 * The types of an entry, and of whatever they name, as `types/**`: one file for each of the source. `inlined`: packages
 * whose own types travel along, since nobody who installs this one gets them. Checks nothing: `npm run types` does.
 */
export const declarations = (entry, inlined) => ({
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
