import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { parse } from 'yaml'

interface Workflow {
  readonly on: { readonly push: { readonly tags: readonly string[] } }
  readonly permissions: object
  readonly jobs: {
    readonly publish: {
      readonly permissions: object
      readonly steps: readonly { readonly uses?: string; readonly run?: string }[]
    }
  }
}

const read = (name: string) => readFile(new URL(`../../${name}`, import.meta.url), 'utf8')

it('publishes tags only, with provenance, and with no more rights than that takes', async () => {
  const { on, permissions, jobs } = parse(await read('.github/workflows/release.yml')) as Workflow
  expect([on, permissions]).toEqual([{ push: { tags: ['v*'] } }, {}])
  expect(jobs.publish.permissions).toEqual({ contents: 'write', 'id-token': 'write' })
  const steps = jobs.publish.steps.flatMap(({ run }) => run ?? [])
  const order = ['npm ci', 'npm run check', 'npm sbom', 'npm publish --provenance', 'gh release create']
  expect(steps.flatMap((step) => order.filter((start) => step.startsWith(start)))).toEqual(order)
})

it('has a change log of the version of the package', async () => {
  const { version } = JSON.parse(await read('package.json')) as { version: string }
  expect(await read('CHANGELOG.md')).toMatch(new RegExp(`^##? \\[?${version.replaceAll('.', '\\.')}\\b`))
})
