import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestService, type TestService } from '../../testing/service.ts'

let service: TestService
beforeAll(async () => {
  service = await createTestService()
})
afterAll(() => service.stop())

describe('get-session', () => {
  it('takes exactly one statement for a signed-in caller', async () => {
    const ann = await service.person()
    service.statements.forget()
    const { status, body } = await ann.get('/get-session')
    expect(status).toBe(200)
    expect(body.user.email).toBe(ann.email)
    expect(service.statements.list).toHaveLength(1)
  })

  it('is null without a session and touches nothing', async () => {
    service.statements.forget()
    const { status, text, setCookies } = await service.visitor().get('/get-session')
    expect([status, text, setCookies]).toEqual([200, 'null', []])
    expect(service.statements.list).toEqual([])
  })
})
