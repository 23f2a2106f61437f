import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { adminOf } from './admin.ts'
import type { TestPerson } from './own-service.ts'
import { useOwnService } from './use-service.ts'

const own = useOwnService()
let ann: TestPerson
beforeEach(async () => {
  await own.empty()
  ann = await own.person('Ann')
  await ann('org create Acme --slug acme')
  for (const team of ['Design', 'Ops']) await ann(`team create ${team}`)
  own.asked.length = 0
})

const csv = (text: string | Buffer): string => {
  const path = join(ann.folder, 'rows.csv')
  writeFileSync(path, text)
  return path
}
const at = (text: string | Buffer, argv: string) => ann([...argv.split(' '), '--csv', csv(text), '--json'])
const writes = () => own.asked.filter((call) => call.startsWith('POST'))

interface Results {
  readonly results: readonly {
    readonly input: string
    readonly status: string
    readonly token?: string
    readonly error: { readonly code: string; readonly hint: string | null; readonly line?: number } | null
  }[]
}
const resultsOf = (json: unknown) => (json as Results).results
const statusesOf = (json: unknown) => resultsOf(json).map(({ input, status }) => [input, status])

/** Brings people into the organization. */
async function bring(...names: readonly string[]) {
  for (const name of names) {
    const person = await own.person(name)
    await ann(`invitation create ${person.email} --role member`)
    await person('invitation accept acme')
  }
  own.asked.length = 0
}

describe('a CSV file with a header', () => {
  it('gives each row its own values', async () => {
    const { code, json } = await at(
      'email,role,team\nben@example.com,member,Design\n"cat@example.com","admin,member",\ndan@example.com,"[""member""]",Ops\n',
      'invitation create',
    )
    expect([code, statusesOf(json)]).toEqual([
      0,
      [
        ['ben@example.com', 'created'],
        ['cat@example.com', 'created'],
        ['dan@example.com', 'created'],
      ],
    ])
    const { items } = (await ann('invitation list --json=email,roles,teamId')).json as {
      items: { email: string; roles: string[]; teamId: string | null }[]
    }
    const of = (email: string) => items.find((one) => one.email === email)
    expect(of('cat@example.com')).toMatchObject({ roles: ['admin', 'member'], teamId: null })
    expect(of('ben@example.com')?.teamId).not.toBe(of('dan@example.com')?.teamId)
  })

  it('may have a byte order mark, CRLF, blank lines, quotes and any order of columns', async () => {
    const { code, json } = await at(
      '\uFEFFrole,"email"\r\n\r\nmember,"ben@example.com"\r\n" member ",cat@example.com',
      'invitation create',
    )
    expect([code, statusesOf(json)]).toEqual([
      0,
      [
        ['ben@example.com', 'created'],
        ['cat@example.com', 'created'],
      ],
    ])
  })

  it('may be what a list printed', async () => {
    await bring('Ben', 'Cat')
    const set = async (...argv: readonly string[]) => (await ann(['member', 'role', 'set', ...argv])).code
    const print = async (of: string) => (await ann(['member', 'list', '-o', 'csv', '--columns', of])).stdout
    expect(await set('ben@example.com', 'admin', 'member')).toBe(0)
    const [byEmail, byId] = [await print('email,roles'), await print('id,roles')]
    expect(byEmail).toContain('ben@example.com,"admin,member"\ncat@example.com,member\n')
    for (const printed of [byEmail, byId]) {
      expect(await set('ben@example.com', 'admin')).toBe(0)
      const { code, stdout } = await ann('member role set --csv -', { stdin: printed })
      expect([code, stdout.match(/updated|unchanged/g)]).toEqual([0, ['unchanged', 'updated', 'unchanged']])
      expect(await print('email,roles')).toBe(byEmail)
    }
  })

  it('has names that a spreadsheet would run as a list prints them', async () => {
    await ann(['team', 'create', '=Ops'])
    const { stdout } = await ann('team list -o csv --columns name')
    expect(stdout.split('\n')).toContain("'=Ops")
    const { code, json } = await at("team\n'=Ops\n", 'team delete --yes')
    expect([code, statusesOf(json)]).toEqual([0, [['=Ops', 'deleted']]])
  })

  it('comes from stdin for -, and flags hold for every row', async () => {
    const { code, stdout } = await ann('invitation create --csv - --role member', {
      stdin: 'email\nben@example.com\ncat@example.com\n',
    })
    expect([code, stdout]).toEqual([0, 'ben@example.com\tcreated\ncat@example.com\tcreated\n'])
  })

  it.each([
    ['unknown', 'email,rules,color\na@example.com,member,red\n', 'has unknown columns: rules, color'],
    ['missing', 'email,team\na@example.com,Ops\n', 'lacks columns: role'],
    ['named twice', 'email,role,email\na@example.com,member,b@example.com\n', 'has a column twice: email'],
    ['there under two names', 'email,role,roles\na@example.com,member,admin\n', 'has a column twice: role'],
    ['of semicolons', 'email;role\na@example.com;member\n', 'has unknown columns: email;role'],
  ])('is refused with the list of columns where one is %s', async (_, text, message) => {
    const { code, stdout, error } = await at(text, 'invitation create')
    expect([code, stdout, writes()]).toEqual([2, '', []])
    expect(error['message']).toContain(message)
    expect(error['hint']).toContain('Columns: email, role, team (optional)')
  })

  it.each([
    ['too many values', 'email,role\na@example.com,member\nb@example.com,member,x\n', 'line 3: it has more or fewer'],
    ['an open quote', 'email,role\n"a@example.com,member\n', 'line 2: a quoted value has no closing quote'],
    ['text after a quote', 'email,role\n"a"b,member\n', 'line 2: there is text after a closing quote'],
    ['a stray quote', 'email,role\na"b,member\n', 'line 2: there is a quote inside'],
    ['nothing', '', 'is empty'],
    ['no UTF-8', Buffer.from('email,role\nj\xF6rg@example.com,member\n', 'latin1'), 'is not UTF-8 text'],
  ])('is refused with the line where there is %s', async (_, text, message) => {
    const { code, stdout, error } = await at(text, 'invitation create')
    expect([code, stdout, writes(), error['message']]).toEqual([2, '', [], expect.stringContaining(message)])
  })

  it('names every wrong line before anything is sent', async () => {
    const { code, error } = await at(
      'email,role\na@example.com,member\n"ben\n",member\n\nc@example.com,\n',
      'invitation create',
    )
    expect([code, writes()]).toEqual([2, []])
    expect(String(error['message']).split('\n')).toEqual([
      expect.stringContaining('2 lines of'),
      'line 3, email: An e-mail address looks like ada@example.com',
      'line 6, role: At least one role is needed',
    ])
  })

  it('has a bound', async () => {
    const { code, error } = await at(`email,role\n${'a@example.com,member\n'.repeat(10_001)}`, 'invitation create')
    expect([code, error['message'], writes()]).toEqual([2, expect.stringContaining('at most 10000 lines'), []])
  })

  it('cannot be read, or stands beside an argument or a flag of the same name', async () => {
    expect((await ann('invitation create --csv /nowhere.csv')).stderr).toContain('there is no such file')
    expect((await at('email,role\na@example.com,member\n', 'invitation create b@example.com')).code).toBe(2)
    expect((await at('email,role\na@example.com,member\n', 'invitation create --role admin')).code).toBe(2)
    expect((await ann('invitation create --role member')).stderr).toContain("issing required argument 'email'")
    expect(writes()).toEqual([])
  })

  it('reports failures with their lines and what to do next, and exits with 13', async () => {
    await bring('Ben')
    const text = 'user,team\nben@example.com,Design\nnobody@example.com,Design\nben@example.com,Nowhere\n'
    const { code, json } = await at(text, 'team member add')
    const [done, absent, nowhere] = resultsOf(json)
    expect([code, done?.status]).toEqual([13, 'updated'])
    expect(absent?.error).toMatchObject({ line: 3, hint: expect.stringContaining('postern member list') })
    expect(nowhere?.error).toMatchObject({ line: 4, hint: expect.stringContaining('postern team list') })
    const { stdout } = await ann(['team', 'member', 'add', '--csv', csv(text)])
    expect(stdout).toMatch(/^nobody@example.com\tfailed\tline 3: .+\tnext: .*postern member list/m)
  })

  it('is shown by --dry-run and changes nothing', async () => {
    await bring('Ben')
    const { code, json } = await at('user,role\nben@example.com,admin\n', 'member role set --dry-run')
    expect([code, writes()]).toEqual([0, []])
    expect(resultsOf(json)).toMatchObject([
      { status: 'planned', call: 'POST /organization/update-member-role', body: { role: ['admin'] } },
    ])
  })

  it('needs the consent that the command needs', async () => {
    await bring('Ben', 'Cat')
    await ann('member role set cat@example.com owner')
    const text = 'user,keys\nben@example.com,revoke\ncat@example.com,\n'
    expect((await at(text, 'member remove')).code).toBe(14)
    const { code, json } = await at(text, 'member remove --yes')
    expect([code, statusesOf(json)]).toEqual([
      13,
      [
        ['ben@example.com', 'deleted'],
        ['cat@example.com', 'failed'],
      ],
    ])
    expect((await at('user,keys\ncat@example.com,\n', 'member remove --confirm cat@example.com')).code).toBe(0)
    expect((await at('user,keys\ncat@example.com,sell\n', 'member remove --yes')).error['message']).toContain(
      'line 2, keys: one of revoke, adopt',
    )
  })
})

describe('roles of several members', () => {
  it('are set from stdin and from a file, those of one as before', async () => {
    await bring('Ben', 'Cat')
    const one = await ann('member role set ben@example.com admin --json')
    expect(one.json).toMatchObject({ status: 'updated', resource: { email: 'ben@example.com', roles: ['admin'] } })
    const piped = await ann('member role set - member', { stdin: 'ben@example.com\ncat@example.com\n' })
    expect(piped.stdout).toBe('ben@example.com\tupdated\ncat@example.com\tunchanged\n')
    const rows = 'user,role\nben@example.com,admin\ncat@example.com,"admin,member"\n'
    expect(statusesOf((await at(rows, 'member role set')).json)).toEqual([
      ['ben@example.com', 'updated'],
      ['cat@example.com', 'updated'],
    ])
  })
})

describe('several keys', () => {
  const rows =
    'name,role,scope,expires,rotates-itself\ndeploy,admin,,30d,yes\nreport,member,"read,invitation:create",,no\n'

  it('are created each with its own limits, and shown once', async () => {
    const { code, json } = await at(rows, 'key create')
    expect([code, statusesOf(json)]).toEqual([
      0,
      [
        ['deploy', 'created'],
        ['report', 'created'],
      ],
    ])
    const tokens = resultsOf(json).map(({ token }) => token)
    expect(tokens).toEqual([expect.stringMatching(/^pst_/), expect.stringMatching(/^pst_/)])
    expect((await ann('key view report --json=scopes,roles,rotatesItself')).json).toEqual({
      rotatesItself: false,
      scopes: ['read', 'invitation:create'],
      roles: ['member'],
    })
    const lines = await ann('key create a b --role member')
    expect(lines.stdout).toMatch(/^a\tcreated\tpst_\w+\nb\tcreated\tpst_\w+\n$/)
    expect(lines.stderr).toBe('This is shown once: store it where you keep secrets\n')
    expect((await ann('key create c d --mine --quiet')).stdout).toMatch(/^pst_\w+\npst_\w+\n$/)
  })

  it('are rotated and revoked, and one is answered as before', async () => {
    await at(rows, 'key create')
    const rotated = await at('key,overlap\ndeploy,0\nreport,1h\n', 'key rotate')
    const shown = { status: 'updated', token: expect.stringMatching(/^pst_/) }
    expect(resultsOf(rotated.json)).toMatchObject([shown, shown])
    expect((await ann('key rotate deploy --json')).json).toMatchObject({
      status: 'updated',
      resource: { name: 'deploy' },
    })
    expect((await at('key\ndeploy\nreport\n', 'key revoke')).code).toBe(0)
  })
})

describe('sessions and bans', () => {
  it('are ended and lifted for several users at once', async () => {
    const ada = await adminOf(own)
    const people = await Promise.all(['Ben', 'Cat'].map((name) => own.person(name)))
    const ids: string[] = []
    for (const { email } of people) ids.push((await ada(`admin session list ${email} --quiet`)).stdout.trim())
    const rows = people.map(({ email }, index) => `${email},${ids[index]}\n`).join('')
    const ended = await ada('admin session revoke --csv - --json', { stdin: `user,id\n${rows}` })
    expect([ended.code, statusesOf(ended.json)]).toEqual([0, ids.map((id) => [id, 'deleted'])])

    const bans = 'user,reason,for\nben@example.com,Spam,7d\ncat@example.com,"Fraud, twice",\nnobody@example.com,,\n'
    const banned = await ada('admin user ban --csv -', { stdin: bans })
    expect([banned.code, banned.stdout.split('\n').slice(0, 2)]).toEqual([
      13,
      ['ben@example.com\tupdated', 'cat@example.com\tupdated'],
    ])
    const reason = await ada('admin user view cat@example.com --json=banReason')
    expect(reason.json).toEqual({ banReason: 'Fraud, twice' })
    expect((await ada('admin user unban - --json', { stdin: 'ben@example.com\ncat@example.com\n' })).code).toBe(0)
    expect((await ada('admin user ban ben@example.com --for 7d')).stdout).toContain('Banned ben@example.com')
  })
})

describe('teams, trust rules and invitations', () => {
  it('are deleted, adopted and answered several at once, and one is answered as before', async () => {
    const trust = (name: string) =>
      `key trust create ${name} --issuer https://gitlab.com --claim project_path=acme/${name} --role member`
    for (const name of ['site', 'shop', 'blog']) await ann(trust(name))
    expect((await ann('key trust adopt site shop')).stdout).toBe('site\tunchanged\nshop\tunchanged\n')
    expect((await at('trust\nsite\nshop\n', 'key trust delete --yes')).code).toBe(0)
    expect((await ann('key trust delete blog --yes --json')).json).toMatchObject({ status: 'deleted' })
    expect((await ann('key trust list --quiet')).stdout).toBe('')

    expect((await ann('team delete Design Ops')).code).toBe(14)
    const piped = await ann('team delete - --yes', { stdin: 'Design\nOps\nNone\n' })
    expect([piped.code, piped.stdout.split('\n').slice(0, 2)]).toEqual([13, ['Design\tdeleted', 'Ops\tdeleted']])

    const ben = await own.person('Ben')
    for (const slug of ['globex', 'third']) await ann(`org create ${slug} --slug ${slug}`)
    for (const slug of ['acme', 'globex', 'third']) await ann(`invitation create ${ben.email} --role member -O ${slug}`)
    expect((await ben('invitation accept acme globex')).stdout).toBe('acme\tupdated\nglobex\tupdated\n')
    expect((await ben('invitation reject third nowhere --json')).code).toBe(13)
    expect((await ben('org list --quiet')).stdout.trim().split('\n')).toHaveLength(2)
  })
})
