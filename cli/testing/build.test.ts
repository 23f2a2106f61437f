import { pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'

/** As the build calls them. */
interface Plugin {
  readonly name: string
  readonly transform?: { handler: (code: string) => string }
  readonly buildEnd?: (error?: Error) => void
  readonly generateBundle?: (options: object, bundle: object) => void
}

const { default: programs } = (await import(pathToFileURL('rolldown.config.js').href)) as {
  default: readonly { plugins: readonly Plugin[] }[]
}
const all = programs.flatMap((program) => program.plugins)
const plugins = all.filter(({ buildEnd }) => buildEnd)

it('knows whatever the build changes of libraries', () => {
  expect(plugins.map(({ name }) => name)).toEqual([
    'quick-width',
    'no-fetch-for-layout',
    'quick-lines',
    'quick-styles',
    'no-home',
  ])
})

it.each(plugins)('$name stops the build where the library has no such file, unless it stopped before', (plugin) => {
  expect(() => plugin.buildEnd?.()).toThrow(`nothing for ${plugin.name}`)
  expect(() => plugin.buildEnd?.(new Error('It went wrong before'))).not.toThrow()
})

it.each(plugins)('$name stops the build where the library has become another', ({ transform }) => {
  expect(() => transform?.handler('console.log()')).toThrow('A library is not as the build knows it')
})

it('stops where a file that stands with others is not there any more', () => {
  const contents = all.find(({ name }) => name === 'contents')
  expect(() => contents?.generateBundle?.({}, {})).toThrow('The build knows a file that is not there: cli/run.ts')
})
