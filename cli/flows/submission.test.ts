import { expect, test } from 'vitest'
import { ServiceFailure } from '../client/errors.ts'
import { askUntilAccepted, type InteractiveSubmission } from './submission.ts'

interface Answers {
  readonly name: string
  readonly slug: string
}

/** A service that takes only the slug `free`, and a person with these answers; they give up after the last one. */
function conversation(...slugs: readonly string[]) {
  const told: string[] = []
  const sent: Answers[] = []
  const asking: InteractiveSubmission<Answers, string, undefined> = {
    check: ({ slug }) => (slug.includes(' ') ? { slug: 'no slug' } : {}),
    send: async (answers) => {
      sent.push(answers)
      if (answers.slug === 'free') return 'made'
      throw new ServiceFailure(400, { code: answers.slug === 'taken' ? 'SLUG_IS_TAKEN' : 'OTHER', message: 'Refused' })
    },
    refused: ({ code, message }) => (code === 'SLUG_IS_TAKEN' ? { slug: message } : {}),
    ask: async (answers, { problems, refusal }) => {
      told.push(`${refusal ? 'service' : 'here'}: ${problems['slug']}`)
      const [slug, ...rest] = slugs.slice(told.length - 1)
      return slug === undefined && rest.length === 0 ? undefined : { ...answers, slug: slug ?? '' }
    },
  }
  return { asking, told, sent }
}

test('what is wrong is asked for again before anything is sent, then what the service refuses; the rest stays', async () => {
  const { asking, told, sent } = conversation('taken', 'free')
  expect(await askUntilAccepted(asking, { name: 'Acme', slug: 'no slug' })).toBe('made')
  expect(told).toEqual(['here: no slug', 'service: Refused'])
  expect(sent).toEqual([
    { name: 'Acme', slug: 'taken' },
    { name: 'Acme', slug: 'free' },
  ])
})

test('who gives up sends nothing more', async () => {
  const { asking, sent } = conversation()
  expect(await askUntilAccepted(asking, { name: 'Acme', slug: 'taken' })).toBeUndefined()
  expect(sent).toHaveLength(1)
})

test('a refusal of nothing that was typed is a failure', async () => {
  const { asking, told } = conversation('free')
  await expect(askUntilAccepted(asking, { name: 'Acme', slug: 'odd' })).rejects.toThrow('Refused')
  expect(told).toEqual([])
})
