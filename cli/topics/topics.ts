import { flagDescriptions } from '../argv/flags.ts'
import { wrap, wrapRows } from '../output/wrap.ts'
import { exitMeanings } from './exit-meanings.ts'
import type { TopicName } from './topic-names.ts'

const variables: readonly (readonly [name: string, meaning: string])[] = [
  ['POSTERN_URL', 'the service to talk to; without a path /api/auth is added'],
  ['POSTERN_PROFILE', 'the profile to use'],
  ['POSTERN_ACCOUNT', 'the stored account to use'],
  ['POSTERN_ORG', 'the organization to work in: id, slug or name'],
  ['POSTERN_TOKEN', 'a session token or a machine key to send; never stored'],
  ['POSTERN_TOKEN_FILE', 'a file that holds one'],
  ['POSTERN_ID_TOKEN', 'the id token of a CI job, for sign-in --oidc'],
  ['POSTERN_PASSWORD_FILE', 'the file for every --password-file'],
  ['POSTERN_CONFIG_DIR', 'folder of the config file'],
  ['POSTERN_STATE_DIR', 'folder of the jars'],
  ['POSTERN_NO_INPUT', 'on: never ask'],
  ['POSTERN_NO_LABEL', "on: do not label new sessions with this machine's name"],
  ['POSTERN_TIMEOUT', 'longest wait for an answer, such as 10s'],
  ['POSTERN_COMPLETION_TIMEOUT', 'how long shell completion waits for the service (300ms)'],
  ['POSTERN_DEBUG', 'on: show requests on stderr, without secrets'],
  ['POSTERN_ACCESSIBLE', '1: the terminal UI appends lines and never redraws'],
  ['POSTERN_MOUSE', 'off: the terminal UI leaves the mouse to the terminal'],
  ['POSTERN_THEME', 'colours of the terminal UI: terminal, dark, light, high-contrast'],
  ['POSTERN_SERVER', 'set for an extension: the address of the service in use'],
  ['POSTERN_UPDATE_NOTICE', 'on: say at a terminal when a newer version is out (off)'],
  ['NODE_EXTRA_CA_CERTS', 'certificates of a private authority'],
  ['HTTPS_PROXY, HTTP_PROXY', 'the proxy to use; never for this machine'],
  ['NO_PROXY', 'hosts reached without the proxy'],
  ['NO_COLOR, FORCE_COLOR', 'no colour, or colour in a pipe too'],
  ['COLUMNS', 'width of the output'],
  ['CI', 'set: never ask'],
]

/** The names of all variables. */
export const knownVariables = (): readonly string[] => variables.flatMap(([names]) => names.split(', '))

const environmentTopic = (): string =>
  [
    ...variables.map(([name, meaning]) => `  ${name.padEnd(26)}  ${meaning}`),
    '',
    'The first that is set wins: flag, environment, profile, config file, built-in default.',
    'See where the settings in use come from: postern auth status --explain',
    'Settings of the service (postern serve): docs/configuration.md',
  ].join('\n')

const flagsTopic = (width: number): string =>
  [
    ...wrap(
      'Every command takes these flags, before or after its own words. In capitals: the environment variable that does the same.',
      width,
    ),
    '',
    ...wrapRows(flagDescriptions(), width),
    '',
    ...wrap(
      'To see where the settings in use come from: postern auth status --explain. To store some: postern config set, postern profile create',
      width,
    ),
  ].join('\n')

const exitCodesTopic = (): string =>
  Array.from(exitMeanings, ([code, meaning]) => `${String(code).padStart(4)}  ${meaning}`).join('\n')

interface Topic {
  readonly summary: string
  /** `keys`: reads those of the config file, and throws where they are wrong. */
  readonly text: (width: number, keys?: () => Readonly<Record<string, string>>) => string | Promise<string>
}

/** The texts of `postern help TOPIC`. */
export const topics: Readonly<Record<string, Topic>> = {
  flags: { summary: 'flags of every command', text: flagsTopic },
  environment: { summary: 'variables and their precedence', text: environmentTopic },
  'exit-codes': { summary: 'what each exit code means', text: exitCodesTopic },
  output: { summary: 'output formats: tables, tabs, JSON', text: () => outputTopic },
  automation: { summary: 'scripts and CI: no prompts, no endless waits', text: () => automationTopic },
  jar: { summary: 'where sessions are kept', text: () => jarTopic },
  keys: {
    summary: 'keys of the terminal UI',
    text: async (_, keys) => (await import('../tui/keymap/key-topics.ts')).keysHelp(keys),
  },
} satisfies Record<TopicName, Topic>

/** Each paragraph is one line and wrapped to the reader's width. */
const outputTopic = `stdout has only the result; progress, notices and errors go to stderr.

  at a terminal    a table fitted to the width, relative times
  in a pipe        tab-separated, full values, ISO 8601 times, no header
  --json           one thing: the object; a list: {"items":[…],"page":{"total":n,"next":null}}; a change: {"status","resource"}, its status created, updated, deleted, unchanged or planned; many: {"results":[{"input","status","error"}],"summary":{…}}; the error of one says {"code","message","hint"}
  --json=a,b       only these fields of the thing, the items, the resource or the results
  --ndjson         one item per line
  --quiet          ids only
  --watch          of a list: drawn again whenever it changes, until Ctrl+C; with --ndjson or in a pipe a line for each change (added, changed, removed), at first for each item
  -o FORM          table, json, ndjson, yaml, csv, tsv or name. yaml has what json has. csv and tsv have a header, one row per item, commas between the words of a list (admin,member: --csv reads it), and JSON in place of other nested values; line breaks and tabs in a value are shown by name. table is the same in a pipe, name is --quiet
  --jq PROGRAM     what a jq program (jq 1.8) makes of the JSON, with --ndjson of each item: --jq '.items[].email'. Strings are printed raw, as gh does, and anything else as JSON
  --template TEXT  what a Mustache template makes of the JSON: --template '{{#items}}{{email}} {{/items}}'
  --columns a,b    only these fields, in any form. Lists also take --sort FIELD, --sort -FIELD and --limit N

Where space is short, a table shows only the ending of an id. Wherever a command takes an id, a unique ending of six or more characters is enough; if several ids match, the command lists them and exits with 7.
Fields are camelCase, times are ISO 8601 in UTC, and absent values are null.
Under --json a failure leaves stdout empty and puts one line on stderr:
  {"error":{"code","message","status","exitCode","hint","fields"}}
The schema of a command's output: postern schema COMMAND
Characters that a terminal would act on or hide (escapes, zero-width) are shown by name.`

const automationTopic = `1. A prompt needs a terminal on stdin and stderr, and no --no-input, CI or --json. Otherwise the command sends nothing, exits with 14, and names the missing flag and a complete command line.
2. --yes answers the confirmation of its command; --confirm NAME does the same for a single thing by repeating its exact name. Severe actions (org delete, org apply --prune, account delete, admin user delete, member remove of an owner) need --confirm; --yes is not enough.
3. Secrets come from a file, from stdin (-) or a prompt, never from a flag's value. One trailing newline is dropped. A mailed link can be piped as well: postern account email verify - < link.txt
4. Every wait ends: connect 10 s, request 30 s (--timeout), jar lock 5 s, a browser 5 min (--wait). GET is tried again on network faults, any call on 429 and on 503 with Retry-After: 2 times (--retries). No other write is ever repeated.
5. Many processes may share a jar: none loses a cookie or signs another out.
6. A script can start a sign-in with a browser, show the address to a person, and resume it later; the ticket identifies it and is no secret:
     postern sign-in --provider github --start --json
       {"ticket","url","userCode","expiresAt","interval"}
     postern sign-in --resume TICKET --wait 0
       8 not approved yet, 0 signed in, 5 refused, 4 expired
   A job whose log a person can see waits in one command:
     postern sign-in --resume TICKET --wait 10m
7. A CI job needs no secret: postern sign-in --oidc --org acme exchanges the id token of its provider for a short session. A script elsewhere uses a machine key in POSTERN_TOKEN or POSTERN_TOKEN_FILE.

  postern sign-in --email ci@example.com --password-file /run/secrets/password --if-signed-in skip
  postern whoami --json=id,email
  postern session list --quiet | postern session revoke -
  postern org create Acme --slug acme --if-exists skip
  postern invitation create - --org acme --role member --json < addresses.txt
  postern invitation create --csv people.csv --org acme --json
  postern org apply -f acme.yaml --dry-run --exit-code --json
  postern role check member:create --org acme --quiet || exit
  POSTERN_TOKEN_FILE=/run/secrets/token postern whoami

Commands that take many read them as arguments, from stdin for -, one per line, or with --csv FILE (- for stdin) from a file whose header names their arguments and flags: email,role,team. A flag holds for all rows, of which there may be 10,000. A CSV file with a wrong line is refused before anything is sent (exit 2); of arguments and of lines from -, those that are wrong fail and the others are sent (exit 13).
They continue after a failure, say for each what to do next, and report each as soon as it is known (under --json all at the end); an interruption (Ctrl+C, SIGTERM) ends with what was done, what may be done and what was not; they exit with 13 if some failed. So does org apply, which can be run again to do what is left. With --dry-run --exit-code it exits with 13 if something would change and with 0 if nothing would; summary.changed is the count.

Exit codes: postern help exit-codes`

const jarTopic = `The session of an account is kept in its jar: one file for each service (scheme, host, port) and account.

- Only its owner can read it: 0600 in a 0700 folder. A jar that others can read, that is a link, or that a newer version wrote is refused (exit 15), never wiped.
- Parallel runs share it: it is locked while it is written, read again, merged, and replaced as a whole.
- A session goes to its own service only; redirects are not followed; plain http is for this machine and, with --allow-http or a profile made with it, for hosts of a private network.
- A sign-in that waits for a browser has a file of the same kind, its ticket, until it is over.

  postern auth list             the accounts kept here
  postern auth switch ACCOUNT   makes another one current
  postern auth jar path         where the file is
  postern auth jar clear        removes it, even a damaged one
  postern sign-out              ends the session and empties it`
