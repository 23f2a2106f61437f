import { join } from 'node:path'
import { beforeAll, expect, it, test } from 'vitest'
import { providers } from '../../../server/providers/providers.ts'
import { SettingsSchema } from '../../../server/settings/schema.ts'
import { fillMarks, marksIn } from './markdown.ts'
import { documents, readPage, root } from './pages.ts'
import { performanceChart } from './performance.ts'
import { providerOptionWords, settingGroups } from './setting-words.ts'
import { generatedParts } from './tables.ts'

// `npm run docs` makes the generated parts of the documents anew.

let parts: Readonly<Record<string, string>>
beforeAll(async () => {
  parts = await generatedParts()
})

test.each(documents())('the generated parts of %s say what the code says', async (path) => {
  await expect(fillMarks(readPage(path), parts)).toMatchFileSnapshot(join(root, path))
})

it('the chart of the performance shows what was measured', async () => {
  await expect(performanceChart()).toMatchFileSnapshot(join(root, 'docs/performance.svg'))
})

it('every part stands in a document, once', () => {
  expect(documents().map(readPage).flatMap(marksIn).toSorted()).toEqual(Object.keys(parts).toSorted())
})

it('every setting is told, in one group', () => {
  const told = Object.values(settingGroups).flatMap((settings) => Object.keys(settings))
  expect(told.toSorted()).toEqual(Object.keys(SettingsSchema.shape).toSorted())
})

it('every setting of a single provider is told', () => {
  const names = providers.flatMap(({ id, options = {} }) =>
    Object.keys(options).map((key) => `${id.toUpperCase()}_${key}`),
  )
  expect(Object.keys(providerOptionWords).toSorted()).toEqual(names.toSorted())
})
