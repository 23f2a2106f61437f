import { describe, expect, it } from 'vitest'
import { inTurn } from '../../../server/testing/rounds.ts'
import type { TestPerson } from '../../testing/own-service.ts'
import { useOwnService, usePerson } from '../../testing/use-service.ts'

// Clear the screen, set the title, write the clipboard, link, go back to the start of the line, turn around, hide.
const names = [
  'a\u001b[2Jb',
  '\u001b]0;title\u0007x',
  '\u001b]52;c;ZXZpbA==\u0007x',
  '\u001b]8;;https://evil.example\u001b\\click\u001b]8;;\u001b\\',
  'evil\rgood',
  '\u202Egnp.exe',
  'ad\u200Bmin\u2060\u00AD\u3164\u034F',
  '\u009b2J\u009d0;x\u009c',
  'two\nlines\u2028three',
  '\u{E0041}\u{E0042}tag',
] as const
const unsafe = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u

const service = useOwnService()
const ann = usePerson(service, 'Ann')
const ben = usePerson(service, 'Ben')

/** Both streams, for a pipe and for a terminal. */
async function shownBy(person: TestPerson, argv: readonly string[]): Promise<string> {
  const tty = await person(argv, { tty: ['stdout', 'stderr'], env: { ...person.env, NO_COLOR: '1' } })
  const pipe = await person(argv)
  return [tty.stdout, tty.stderr, pipe.stdout, pipe.stderr].join('\n')
}

describe.each(inTurn(names.map((name, index) => [JSON.stringify(name), name, index] as const)))(
  'an organization named %s',
  (_, name, index) => {
    const slug = `evil-${index}`

    it('is only text in tables, sentences, errors and JSON', async () => {
      expect(name).toMatch(unsafe)
      const made = await ann(['org', 'create', name, '--slug', slug])
      expect([made.code, made.stdout]).toEqual([0, expect.not.stringMatching(unsafe)])
      await ann(['team', 'create', name])
      await ann(['account', 'edit', '--name', name])
      await ann(['invitation', 'create', ben.email, '--role', 'member'])
      const reads = `org list,org view,org view ${slug},org use ${slug},member list,member me,team list,invitation list`
      const forms = 'org list --json,org view --json,team list --ndjson,org slug check a_b'
      for (const argv of `${reads},${forms}`.split(',')) {
        const shown = await shownBy(ann, argv.split(' '))
        expect([argv, shown.match(unsafe)]).toEqual([argv, null])
      }
      for (const argv of [
        ['org', 'view', `${name}!`],
        ['member', 'view', `${name}!`],
        ['role', 'check', name],
      ]) {
        expect((await shownBy(ann, argv)).match(unsafe)).toBeNull()
      }
      expect((await ann(['org', 'view', slug, '--json=name'])).json).toEqual({ name })
    })

    it('is only text to whom it invites', async () => {
      const listed = await shownBy(ben, ['invitation', 'list', '--mine'])
      expect([listed.length > 50, listed.match(unsafe)]).toEqual([true, null])
      const joined = await ben(['invitation', 'accept', slug])
      expect([joined.code, joined.stdout.match(unsafe)]).toEqual([0, null])
    })
  },
)

it('shows the candidates of a hostile name as text', async () => {
  const name = 'twice \u001b[2Jb'
  await ann(['org', 'create', name, '--slug', 'evil-again'])
  await ann(['org', 'create', name, '--slug', 'evil-once-more'])
  const { code, stderr } = await ann(['org', 'view', name])
  expect([code, stderr.match(unsafe)]).toEqual([7, null])
  expect(stderr).toContain('twice \\u001b[2Jb')
})
