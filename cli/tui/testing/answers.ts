import type { ApiAnswer } from '../../client/client.ts'

export const good = (body: unknown): ApiAnswer => ({ status: 200, headers: {}, body })

export const refuse = (status: number, code: string, message: string): ApiAnswer => ({
  status,
  headers: {},
  body: { code, message },
})
