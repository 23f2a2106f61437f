import { pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'

/** As the build calls them. */
interface Plugin {
  readonly name: string
  readonly transform?: { handler: (code: string) => string }
  readonly load?: { handler: (path: string) => string }
  readonly buildEnd?: (error?: Error) => void
}

const { default: programs } = (await import(pathToFileURL('rolldown.config.js').href)) as {
  default: readonly { plugins: readonly Plugin[] }[]
}
const plugins = programs.flatMap((program) => program.plugins).filter(({ buildEnd }) => buildEnd)
const names = 'no-child-processes quick-width one-segmenter quick-styles no-fetch-for-layout no-http2 no-fetch'

it('knows whatever the build changes of libraries', () => {
  expect(plugins.map(({ name }) => name)).toEqual(names.split(' '))
})

it.each(plugins)('$name stops the build where the library has no such file, and only then', ({ load, ...plugin }) => {
  expect(() => plugin.buildEnd?.()).toThrow(`nothing for ${plugin.name}`)
  expect(() => plugin.buildEnd?.(new Error('It went wrong before'))).not.toThrow()
  if (!load) return
  load.handler('client-h2.js')
  expect(() => plugin.buildEnd?.()).not.toThrow()
})

it.each(plugins.filter(({ name, transform }) => transform && name !== 'one-segmenter'))(
  '$name stops the build where the library has become another',
  ({ transform }) => {
    expect(() => transform?.handler('console.log()')).toThrow('A library is not as the build knows it')
  },
)
