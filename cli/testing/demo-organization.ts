import { type DemoStep, password } from './demo-steps.ts'

const laptop = (says: string, line: string, expects: RegExp, more: Partial<DemoStep> = {}): DemoStep => ({
  says,
  at: 'laptop',
  args: line.split(' '),
  expects,
  ...more,
})

export const organizationSteps = (url: string): readonly DemoStep[] => [
  laptop('An organization', 'org create Acme --slug acme', /Created Acme \(acme\), the active organization now/),
  laptop('Again, as a script would', 'org create Acme --slug acme --if-exists skip --json=slug', /"unchanged"/),
  laptop('Somebody is invited', 'invitation create ben@example.com --role member', /ben@example\.com\tcreated/),
  laptop('who has a profile', `profile create ben --url ${url} --account ben@example.com`, /Created profile ben/),
  laptop('and signs up', '-P ben sign-up --email ben@example.com --name Ben --password-file -', /ben@example\.com/, {
    input: password,
  }),
]

/** With the link that proves Ben's address, and the id of his invitation. */
export const joinSteps = (link: string, id: string): readonly DemoStep[] => [
  laptop('Not before the address is proven', `-P ben invitation accept ${id}`, /email verify --send/, { exitCode: 5 }),
  laptop('It is', '-P ben account email verify -', /Verified ben@example\.com/, { input: link }),
  laptop('Now he joins', `-P ben invitation accept ${id}`, /Joined Acme as member/),
  laptop('May he invite others?', '-P ben role check invitation:create', /Denied/, { exitCode: 5 }),
  laptop('May Ann?', '-A ann@example.com role check invitation:create', /Allowed/),
  laptop(
    'She makes him an admin',
    '-A ann@example.com member role set ben@example.com admin',
    /ben@example\.com is admin/,
  ),
  laptop('and then he may', '-P ben role check invitation:create', /Allowed/),
  laptop('Both of them', 'member list', /ann@example\.com.*\n.*ben@example\.com/),
]

export const endingSteps: readonly DemoStep[] = [
  laptop('The end, for both', 'sign-out --all', /ann@example\.com\tdeleted/),
  laptop('Nobody is signed in', 'whoami', /postern sign-in/, { exitCode: 4 }),
]
