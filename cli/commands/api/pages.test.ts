import { PassThrough } from 'node:stream'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type AnsweringService, type Answers, startAnswers, usual } from '../../testing/answers.ts'
import { createRunner, type RunOptions } from '../../testing/run-cli.ts'

let service: AnsweringService
beforeAll(async () => {
  service = await startAnswers(usual())
})
afterAll(() => service.close())
beforeEach(() => service.forget())

const total = 5
const numbered = (from: number, to: number) =>
  Array.from({ length: Math.max(0, Math.min(to, total) - from) }, (_, index) => ({ id: from + index }))
const all = numbered(0, total)
const inLines = all.map((row) => `${JSON.stringify(row)}\n`)

/** Where a list goes on after these rows. */
const link = (offset: number) => ({ link: `<?limit=2&offset=${offset}>; rel="next"` })

/** Lists of each kind that the service has, two rows at a time. */
const lists: Answers = {
  'GET /rows': ({ query }) => {
    const from = Number(query['offset'] ?? 0)
    return { body: numbered(from, from + 2), headers: from + 2 < total ? link(from + 2) : {} }
  },
  'GET /counted': ({ query }) => {
    const from = Number(query['offset'] ?? 0)
    return { body: { members: numbered(from, from + 2), total }, headers: from + 2 < total ? link(from + 2) : {} }
  },
  'GET /events': ({ query }) => {
    const from = Number(query['cursor'] ?? query['after'] ?? 0)
    const to = String(from + 2)
    return { body: { events: numbered(from, from + 2), next: from + 2 < total ? to : null, latest: to } }
  },
}

const postern = (argv: string, options: RunOptions = {}) => {
  Object.assign(service.answers, lists)
  return createRunner({ env: { POSTERN_URL: service.url, POSTERN_TOKEN: 'token' } })(argv, options)
}

describe('api --paginate', () => {
  it('prints all rows as one answer', async () => {
    expect((await postern('api /rows?status=all --paginate')).json).toEqual(all)
    expect(service.seen.map(({ query }) => query)).toEqual([
      { status: 'all' },
      { status: 'all', offset: '2' },
      { status: 'all', offset: '4' },
    ])
    expect((await postern('api /counted --paginate')).json).toEqual({ members: all, total })
    // What is written meanwhile comes after the first answer, not after the last one.
    expect((await postern('api /events --paginate')).json).toEqual({ events: all, next: null, latest: '2' })
    expect((await postern('api /rows?offset=3 --paginate')).json).toEqual(all.slice(3))
  })

  it('reads on from the latest position where it reads what came later', async () => {
    const { json } = await postern('api /events?after=1 --paginate')
    expect(json).toEqual({ events: all.slice(1), next: null, latest: '5' })
    expect(service.seen.map(({ query }) => query['after'])).toEqual(['1', '3'])
  })

  it('prints a row a line with --ndjson, each as soon as it is there', async () => {
    for (const path of ['rows', 'counted', 'events'])
      expect((await postern(`api /${path} --paginate --ndjson`)).stdout).toBe(inLines.join(''))
    const asked: number[] = []
    service.forget()
    await postern('api /rows --paginate --ndjson', { tell: () => asked.push(service.seen.length) })
    expect(asked).toEqual([1, 1, 2, 2, 3])
  })

  it('hands all rows, or one after the other, to a jq program', async () => {
    expect((await postern('api /events --paginate --jq .events|length')).stdout).toBe('5\n')
    expect((await postern('api /rows --paginate --ndjson --jq .id')).stdout).toBe('0\n1\n2\n3\n4\n')
  })

  it('prints what is no list as it came', async () => {
    service.answers['GET /several'] = { body: { members: [1], teams: [2], next: 'x' } }
    expect((await postern('api /several --paginate')).json).toEqual({ members: [1], teams: [2], next: 'x' })
    expect((await postern('api /ok --paginate --ndjson')).stdout).toBe('{"ok":true}\n')
  })

  it.each([
    ['a call that writes', 'api /sign-out -X POST'],
    ['fields without a method', 'api /rows -f status=all'],
    ['one answer with its headers', 'api /rows -i'],
  ])('refuses %s, and sends nothing', async (_, argv) => {
    expect((await postern(`${argv} --paginate`)).code).toBe(2)
    expect(service.seen).toEqual([])
  })
})

describe('a service that lies about its pages', () => {
  it.each<[string, Answers[string]]>([
    ['the same cursor twice', { body: { events: [1], next: 'again', latest: '' } }],
    ['two cursors in turn', ({ query }) => ({ body: { events: [1], next: query['cursor'] === 'a' ? 'b' : 'a' } })],
    ['the same offset twice', { body: [1], headers: link(1) }],
    ['an empty page that goes on', { body: { events: [], next: 'x', latest: '' } }],
  ])('is found out by %s: exit 11', async (_, answer) => {
    service.answers['GET /lie'] = answer
    const { code, stdout, error } = await postern('api /lie --paginate --json')
    expect([code, stdout, error['message']]).toEqual([11, '', 'The pages of the list are inconsistent'])
  })

  it('or refuses one of them, and nothing of a document is printed', async () => {
    service.answers['GET /rows-of-two'] = ({ query }) =>
      query['offset'] ? { status: 403, body: { code: 'NO', message: 'No' } } : { body: [1], headers: link(1) }
    expect(await postern('api /rows-of-two --paginate')).toMatchObject({ code: 5, stdout: '' })
    expect(await postern('api /rows-of-two --paginate --ndjson')).toMatchObject({ code: 5, stdout: '1\n' })
  })
})

describe('an interruption', () => {
  /** Interrupts as Ctrl+C does when the second page is asked for. */
  async function interrupted(argv: string) {
    const controller = new AbortController()
    const { interruptedError } = await import('../../output/cli-error.ts')
    service.answers['GET /endless'] = ({ query }) => {
      const from = Number(query['cursor'] ?? 0)
      if (from === 4) controller.abort(interruptedError())
      return { body: { events: [{ id: from }, { id: from + 1 }], next: String(from + 2), latest: 'x' } }
    }
    return postern(argv, { signal: controller.signal })
  }

  it('ends with what has come, and where it goes on', async () => {
    const { code, json, stderr } = await interrupted('api /endless --paginate')
    expect([code, json]).toEqual([130, { events: all.slice(0, 4), next: '4', latest: 'x' }])
    expect(stderr).toContain('Interrupted: the list may be incomplete')
    expect(await interrupted('api /endless --paginate --ndjson')).toMatchObject({
      code: 130,
      stdout: inLines.slice(0, 4).join(''),
    })
  })

  it('by a reader that has enough ends it quietly', async () => {
    const stdout = new PassThrough()
    service.answers['GET /endless'] = ({ query }) => {
      const from = Number(query['cursor'] ?? 0)
      if (from === 4) stdout.destroy(Object.assign(new Error('closed'), { code: 'EPIPE' }))
      return { body: { events: [{ id: from }], next: String(from + 1), latest: 'x' } }
    }
    expect(await postern('api /endless --paginate --ndjson', { stdout })).toMatchObject({ code: 0, stderr: '' })
  })
})
