import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { beforeAll, describe, expect, it, test } from 'vitest'
import { type Config, type Environment, parseConfig } from '../../../server/config.ts'
import { providers } from '../../../server/providers/providers.ts'
import { SettingsSchema } from '../../../server/settings/schema.ts'
import { envExample } from './env-example.ts'
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

describe('.env.example', () => {
  it('has every setting with its default', async () => {
    await expect(envExample()).toMatchFileSnapshot(join(root, 'deploy/.env.example'))
  })

  it('changes nothing when all of it is set', () => {
    const given = parseEnv(envExample().replaceAll(/^#(?=[A-Z])/gm, ''))
    expect(Object.keys(given).toSorted()).toEqual(Object.keys(SettingsSchema.shape).toSorted())
    const texts = Object.fromEntries(Object.entries(given).filter(([, text]) => text !== ''))
    expect(told(parseConfig(texts as Environment))).toEqual(told(parseConfig({})))
  })
})

/** Functions are made anew each time. */
const told = (config: Config): string => JSON.stringify(config)

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
