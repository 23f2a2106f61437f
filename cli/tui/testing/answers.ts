import type { Answer } from '../../client/client.ts'

export const good = (body: unknown): Answer => ({ status: 200, headers: {}, body })

export const refuse = (status: number, code: string, message: string): Answer => ({
  status,
  headers: {},
  body: { code, message },
})
