import { afterAll, expect, it } from 'vitest'
import { createTestService, type TestService } from '../testing/service.ts'

const services: TestService[] = []
afterAll(() => Promise.all(services.map((service) => service.stop())))

async function statusesWith(settings: Readonly<Record<string, string>>): Promise<readonly number[]> {
  const service = await createTestService(settings)
  services.push(service)
  const visitor = service.visitor()
  const paths = [
    '/openapi.json',
    '/reference',
    '/reference/reference.js',
    '/reference/reference.css',
    '/reference/x.js',
  ]
  return Promise.all(paths.map(async (path) => (await visitor.get(path)).status))
}

const production = { NODE_ENV: 'production', BASE_URL: 'https://id.postern.test' }

it.each<[when: string, settings: Readonly<Record<string, string>>, statuses: readonly number[]]>([
  ['on in development', {}, [200, 200, 200, 200, 404]],
  ['off in development where it was turned off', { API_REFERENCE: 'off' }, [200, 404, 404, 404, 404]],
  ['off in production', production, [200, 404, 404, 404, 404]],
  ['on in production where it was turned on', { ...production, API_REFERENCE: 'on' }, [200, 200, 200, 200, 404]],
])('the reference page is %s', async (_, settings, statuses) => {
  expect(await statusesWith(settings)).toEqual(statuses)
})
