import { beforeEach, describe, expect, it } from 'vitest'
import { proveAddress } from '../../testing/prove-address.ts'
import { answerJson, startScriptedProvider } from '../../testing/scripted-provider.ts'
import { back, begin, errorPage, uniqueId, vouchFor } from '../../testing/scripted-sign-in.ts'
import { locationOf, whileNothingIsKept } from '../../testing/social.ts'
import { useStarted, useTestService } from '../../testing/use-service.ts'
import type { Reply, Visitor } from '../../testing/visitor.ts'
import { sealFlow, stateIdentifier } from './begin-social-flow.ts'

const provider = useStarted(startScriptedProvider)
const service = useTestService(() => ({ ...provider.settings('GITHUB'), ...provider.settings('GOOGLE') }))

/** Somebody at the provider, whose address it vouches for. */
let email: string
beforeEach(() => {
  email = vouchFor(provider)
})

async function signIn(visitor: Visitor, body: Record<string, unknown> = {}): Promise<Reply> {
  return back(visitor, await begin(visitor, body))
}

describe('the way back from a provider', () => {
  it('ends with a session, and a page for new users', async () => {
    const ann = service.visitor()
    const reply = await signIn(ann)
    expect([reply.status, locationOf(reply), reply.text]).toEqual([302, '/welcome', ''])
    expect((await ann.get('/get-session')).body.user).toMatchObject({ email, emailVerified: true, name: 'Ann' })
    expect([...ann.cookies.keys()]).toEqual(['postern.session_token'])
  })

  it('leads a new user to no page that is trusted no longer', async () => {
    const ann = service.visitor()
    const state = await moved(await begin(ann), { callbackURL: '/home', newUserCallbackURL: 'https://evil.example' })
    expect(locationOf(await back(ann, state))).toBe('/home')
  })

  it('sends exactly the address that it began with, and the verifier of its challenge', async () => {
    const ann = service.visitor()
    const { body } = await ann.post('/sign-in/social', { provider: 'github', loginHint: 'ann' })
    const asked = new URL(body.url).searchParams
    await back(ann, asked.get('state') ?? '')
    const sent = provider.requests.find(({ line }) => line === 'POST /token')?.body
    expect(Object.fromEntries(asked)).toEqual({
      response_type: 'code',
      client_id: 'scripted',
      redirect_uri: 'http://localhost:4100/api/auth/callback/github',
      state: expect.stringMatching(/^[A-Za-z0-9]{32}$/),
      scope: 'read:user user:email',
      login: 'ann',
      code_challenge: expect.any(String),
      code_challenge_method: 'S256',
    })
    const verifier = sent?.get('code_verifier') ?? ''
    expect([sent?.get('redirect_uri'), verifier.length]).toEqual([asked.get('redirect_uri'), 128])
    const digest = await crypto.subtle.digest('SHA-256', Buffer.from(verifier))
    expect(asked.get('code_challenge')).toBe(Buffer.from(digest).toString('base64url'))
    expect(JSON.stringify(service.logged)).not.toContain(verifier)
  })

  it('takes no security parameter from who asks', async () => {
    const ann = service.visitor()
    const hostile = 'x&state=evil&redirect_uri=https://evil.example&code_challenge=no'
    const { body } = await ann.post('/sign-in/social', {
      provider: 'github',
      loginHint: hostile,
      scopes: ['repo&client_id=evil', 'a:b'],
      state: 'evil',
      redirect_uri: 'https://evil.example',
      redirectURI: 'https://evil.example',
      client_id: 'evil',
      response_type: 'token',
      nonce: 'evil',
    })
    const asked = new URL(body.url).searchParams
    expect(asked.getAll('state')).toHaveLength(1)
    expect([asked.get('redirect_uri'), asked.get('client_id'), asked.get('response_type'), asked.get('login')]).toEqual(
      ['http://localhost:4100/api/auth/callback/github', 'scripted', 'code', hostile],
    )
    expect(asked.get('scope')).toBe('read:user user:email repo&client_id=evil a:b')
  })

  it('keeps several sign-ins of one browser apart', async () => {
    const ann = service.visitor()
    const [first, second] = [await begin(ann, { callbackURL: '/1' }), await begin(ann, { callbackURL: '/2' })]
    expect(locationOf(await back(ann, second, 'error=access_denied'))).toBe('/oops?x=1&error=access_denied')
    expect(locationOf(await back(ann, first))).toBe('/welcome')
  })

  it('comes from a form as well, and then once more by GET', async () => {
    const ann = service.visitor()
    const state = await begin(ann)
    const form = new URLSearchParams({ state, code: 'c', user: '{"name":{}}' }).toString()
    const posted = await service.visitor().send('/callback/github', {
      method: 'POST',
      body: form,
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'content-length': String(form.length),
        origin: 'https://appleid.apple.com',
        'sec-fetch-site': 'cross-site',
      },
    })
    expect([posted.status, posted.setCookies]).toEqual([303, []])
    const next = new URL(locationOf(posted), 'http://localhost:4100')
    expect([next.pathname, next.searchParams.get('user')]).toEqual(['/api/auth/callback/github', '{"name":{}}'])
    expect(locationOf(await ann.get(`/callback/github${next.search}`))).toBe('/welcome')
  })
})

describe('every refusal is a code on a page', () => {
  const codes: Record<string, () => Promise<Reply>> = {
    [errorPage('error=invalid_callback_request')]: () => service.visitor().get('/callback/github?state=%00'),
    [errorPage('error=state_not_found')]: () => service.visitor().get('/callback/github?code=c'),
    [errorPage('error=access_denied&error_description=No+way')]: () =>
      service.visitor().get('/callback/github?error=access_denied&error_description=No%20way'),
    [errorPage('error=please_restart_the_process')]: () => back(service.visitor(), 'x'.repeat(32)),
    '/oops?x=1&error=no_code': async () => {
      const ann = service.visitor()
      return back(ann, await begin(ann), '')
    },
    '/oops?x=1&error=oauth_provider_not_found': async () => {
      const ann = service.visitor()
      const state = await begin(ann)
      const without = await service.sibling({ GITHUB_CLIENT_ID: '', GITHUB_CLIENT_SECRET: '' }).catch(() => null)
      expect(without).toBeNull()
      return back(ann, await moved(state, { provider: 'gitlab' }), 'code=c', 'gitlab')
    },
    '/oops?x=1&error=invalid_code': async () => {
      provider.answers['/token'] = answerJson({ error: 'bad_verification_code' })
      return signIn(service.visitor())
    },
    '/oops?x=1&error=unable_to_get_user_info': async () => {
      provider.answers['/user'] = answerJson({ message: 'Bad credentials' }, 401)
      return signIn(service.visitor())
    },
    '/oops?x=1&error=email_not_found': async () => {
      provider.answers['/user/emails'] = answerJson([])
      return signIn(service.visitor())
    },
    [errorPage('error=access_denied')]: async () => {
      const ann = service.visitor()
      return back(
        ann,
        await moved(await begin(ann), { errorCallbackURL: 'https://evil.example' }),
        'error=access_denied',
      )
    },
    '/oops?x=1&error=no_callback_url': async () => {
      const ann = service.visitor()
      return back(ann, await moved(await begin(ann), { callbackURL: 'https://evil.example' }))
    },
    '/oops?x=1&error=account_not_linked': async () => {
      await service.person({ email })
      provider.answers['/user/emails'] = answerJson([{ email, primary: true, verified: false }])
      return signIn(service.visitor())
    },
    '/oops?x=1&error=signup_disabled': async () => {
      const closed = await service.sibling({ GITHUB_DISABLE_SIGN_UP: 'on' })
      return signIn(closed.visitor(), { requestSignUp: true })
    },
    '/oops?x=1&error=unable_to_create_user': () =>
      whileNothingIsKept(service, 'users', () => signIn(service.visitor())),
    '/oops?x=1&error=unable_to_create_session': async () => {
      provider.answers['/user'] = answerJson({ id: uniqueId(), login: 'ann' })
      await signIn(service.visitor())
      return whileNothingIsKept(service, 'sessions', () => signIn(service.visitor()))
    },
    '/oops?x=1&error=unable_to_link_account': async () => {
      await service.person({ email })
      await proveAddress(service.deps.sql, email)
      return whileNothingIsKept(service, 'accounts', () => signIn(service.visitor()))
    },
    '/oops?x=1&error=email_not_verified': async () => {
      provider.answers['/user/emails'] = answerJson([{ email, primary: true, verified: false }])
      const strict = await service.sibling({ REQUIRE_EMAIL_VERIFICATION: 'on' })
      return signIn(strict.visitor())
    },
    [errorPage(
      'error=banned&error_description=You+have+been+banned+from+this+application.+Please+contact+support+if+you+believe+this+is+an+error.',
    )]: async () => {
      provider.answers['/user'] = answerJson({ id: uniqueId(), login: 'ann' })
      await signIn(service.visitor())
      await service.deps.sql`update users set banned = true where email = ${email}`
      return signIn(service.visitor())
    },
    [errorPage('error=banned&error_description=Write+to+help%40example.com')]: async () => {
      await service.person({ email })
      await service.deps.sql`update users set banned = true where email = ${email}`
      return signIn((await service.sibling({ BANNED_USER_MESSAGE: 'Write to help@example.com' })).visitor())
    },
    [errorPage('error=internal_server_error')]: async () => {
      const { sql } = service.deps
      const ann = service.visitor()
      const state = await begin(ann)
      await sql`alter table accounts rename to away`
      try {
        return await back(ann, state)
      } finally {
        await sql`alter table away rename to accounts`
      }
    },
  }

  it.each(Object.keys(codes))('%s', async (location) => {
    const reply = await codes[location]!()
    expect([reply.status, locationOf(reply)]).toEqual([302, location])
    expect(reply.setCookies.some((line) => /session_token=[^;]/.test(line))).toBe(false)
  })

  it('knows which of them stand elsewhere', () => {
    // account_already_linked_to_different_user: link.test.ts.
    expect(Object.keys(codes)).toHaveLength(20)
  })
})

/** The stored beginning, changed in one place by who can write to the table and knows the key. */
async function moved(state: string, change: Record<string, unknown>): Promise<string> {
  const identifier = stateIdentifier(state)
  const { sql, keys } = service.deps
  const [row] = await sql<{ value: string }[]>`select value from verifications where identifier = ${identifier}`
  const begun = JSON.parse(keys.state.open(Buffer.from(row!.value, 'base64url'), identifier))
  const value = sealFlow(service.deps, identifier, { ...begun, ...change })
  await sql`update verifications set value = ${value} where identifier = ${identifier}`
  return state
}

const allowed = " !#$%&'()*+,-./0:;<=>?@A[]^_`a{|}~"
const encoded = (text: string) => new URLSearchParams({ x: text }).toString().slice(2)

describe("a provider's own words", () => {
  it.each([
    ['a parameter inside', 'error=a%26b%3Dc', 'error=a%26b%3Dc'],
    ['every character that RFC 6749 allows', `error=${encodeURIComponent(allowed)}`, `error=${encoded(allowed)}`],
    ['a quotation mark', 'error=%22', 'error=invalid_callback_request'],
    ['a backslash', 'error=a%5Cb', 'error=invalid_callback_request'],
    ['a letter beyond ASCII', 'error=%C3%A9', 'error=invalid_callback_request'],
    ['a code as long as it may be', `error=${'x'.repeat(64)}`, `error=${'x'.repeat(64)}`],
    ['a code that is too long', `error=${'x'.repeat(65)}`, 'error=invalid_callback_request'],
    ['a line break', 'error=a%0D%0ASet-Cookie:x', 'error=invalid_callback_request'],
    ['a long code', `error=${'x'.repeat(10_000)}`, 'error=invalid_callback_request'],
    ['a tag', 'error=%3Cscript%3E', 'error=%3Cscript%3E'],
    ['a code of its own', 'error=user_cancelled_authorize', 'error=user_cancelled_authorize'],
    [
      'a long description',
      `error=x&error_description=${'y'.repeat(10_000)}`,
      `error=x&error_description=${'y'.repeat(200)}`,
    ],
    [
      'a line break in the description',
      'error=x&error_description=a%0D%0Ab%26error%3Dno_code',
      'error=x&error_description=a+b%26error%3Dno_code',
    ],
  ])('%s', async (_name, query, expected) => {
    const reply = await service.visitor().get(`/callback/github?${query}`)
    expect(locationOf(reply)).toBe(errorPage(expected))
  })
})

describe('an error code of the provider', () => {
  it('reaches the page of the application, and as a code alone', async () => {
    const ann = service.visitor()
    const state = await begin(ann, { errorCallbackURL: 'http://localhost:4100/oops?x=1#top' })
    const location = locationOf(await back(ann, state, 'error=consent%26code%3Dc%23'))
    expect(location).toBe('http://localhost:4100/oops?x=1&error=consent%26code%3Dc%23#top')
    expect([...new URL(location).searchParams]).toEqual([
      ['x', '1'],
      ['error', 'consent&code=c#'],
    ])
  })

  it('is not shown on the page of the service unless it is one of ours', async () => {
    const location = locationOf(await service.visitor().get('/callback/github?error=%3Cb%3Eown+words'))
    const { text } = await service
      .visitor()
      .get(new URL(location).pathname.replace('/api/auth', '') + new URL(location).search)
    expect(text).not.toContain('own words')
    expect(text).toContain('Something went wrong. Start again.')
  })
})

describe('a POST to a callback that carries no form', () => {
  const large = 'x'.repeat(100_000)
  it.each([
    ['JSON', 'application/json', '{"state":"s","code":"c"}'],
    ['broken JSON', 'application/json', '{'],
    ['text', 'text/plain', 'state=s&code=c'],
    ['a form in parts', 'multipart/form-data; boundary=x', '--x--'],
    ['nothing', undefined, undefined],
    ['a form without its type', undefined, 'state=s&code=c'],
    ['a form with a NUL', 'application/x-www-form-urlencoded', 'state=%00'],
    ['a form that is too large', 'application/x-www-form-urlencoded', `state=${large}`],
    ['a form that names a foreign page', 'application/x-www-form-urlencoded', 'callbackURL=https://evil.example'],
  ])('leads to the error page: %s', async (_name, type, body) => {
    const headers = {
      ...(type === undefined ? {} : { 'content-type': type }),
      ...(body === undefined ? {} : { 'content-length': String(body.length) }),
    }
    const reply = await service
      .visitor()
      .send('/callback/github', { method: 'POST', headers, ...(body === undefined ? {} : { body }) })
    expect([reply.status, locationOf(reply), reply.text]).toEqual([
      303,
      errorPage('error=invalid_callback_request'),
      '',
    ])
  })
})

describe('what is no profile makes no user', () => {
  it.each([
    ['an error', { error: 'no' }],
    ['a null id', { id: null, login: 'ann' }],
    ['zero', { id: 0, login: 'ann' }],
    ['an empty id', { id: '', login: 'ann' }],
    ['an id of blanks', { id: ' ', login: 'ann' }],
    ['a list', []],
    ['a list as an id', { id: ['7'] }],
    ['an object as an id', { id: {} }],
    ['a fraction', { id: 1.5 }],
    ['more than a number can hold', { id: 2 ** 60 }],
    ['a text', 'ann'],
    ['null', null],
  ])('%s', async (_name, profile) => {
    provider.answers['/user'] = answerJson(profile)
    const count = () => service.deps.sql<{ n: number }[]>`select count(*)::integer as n from users`
    const [before] = await count()
    expect(locationOf(await signIn(service.visitor()))).toBe('/oops?x=1&error=unable_to_get_user_info')
    expect((await count())[0]).toEqual(before)
  })
})
