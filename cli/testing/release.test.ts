import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { parse } from 'yaml'

interface Workflow {
  readonly on: object
  readonly permissions: object
  readonly jobs: Readonly<Record<string, Job>>
}

interface Job {
  readonly needs?: string
  readonly permissions: object
  readonly steps: readonly { readonly uses?: string; readonly run?: string }[]
}

const read = (name: string) => readFile(new URL(`../../${name}`, import.meta.url), 'utf8')

it('publishes tags only, with provenance, and with no more rights than that takes', async () => {
  const { on, permissions, jobs } = parse(await read('.github/workflows/release.yml')) as Workflow
  expect([on, permissions]).toEqual([{ push: { tags: ['v*'] } }, {}])
  const rights = Object.entries(jobs).map(([name, { needs, permissions: own }]) => [name, needs, own])
  expect(rights).toEqual([
    ['build', undefined, { contents: 'read' }],
    ['publish', 'build', { 'id-token': 'write' }],
    ['release', 'publish', { contents: 'write' }],
  ])
  const steps = Object.values(jobs).flatMap(({ steps: own }) => own)
  const order = ['npm ci', 'npm run check', 'npm sbom', 'npm pack', 'npm publish', 'gh release create']
  const runs = steps.flatMap(({ run }) => run ?? [])
  expect(runs.flatMap((run) => order.filter((start) => run.startsWith(start)))).toEqual(order)
  expect(runs.find((run) => run.startsWith('npm publish'))).toContain('--provenance')
  // Whoever has the rights to publish runs nobody else's code, and no action that can be changed later.
  expect(jobs['publish']?.steps.filter(({ run }) => run?.startsWith('npm') && !run.startsWith('npm publish'))).toEqual(
    [],
  )
  expect(steps.filter(({ uses }) => uses && !/@[0-9a-f]{40}$/.test(uses))).toEqual([])
})

it('asks for known vulnerabilities every week, with the right to read alone', async () => {
  const { on, permissions, jobs } = parse(await read('.github/workflows/advisories.yml')) as Workflow
  expect([on, permissions]).toEqual([{ schedule: [{ cron: expect.stringMatching(/^\d+ \d+ \* \* \d$/) }] }, {}])
  expect(Object.values(jobs)).toMatchObject([{ permissions: { contents: 'read' } }])
  const steps = Object.values(jobs).flatMap(({ steps: own }) => own)
  expect(steps.flatMap(({ run }) => run ?? [])).toEqual(['npm audit --omit=dev --audit-level=high'])
  expect(steps.filter(({ uses }) => uses && !/@[0-9a-f]{40}$/.test(uses))).toEqual([])
})

it('has a change log of the version of the package', async () => {
  const { version } = JSON.parse(await read('package.json')) as { version: string }
  expect(await read('CHANGELOG.md')).toMatch(new RegExp(`^##? \\[?${version.replaceAll('.', '\\.')}\\b`))
})
