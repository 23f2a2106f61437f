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
  ['POSTERN_NO_LABEL', "on: do not call a new session by this machine's name"],
  ['POSTERN_TIMEOUT', 'longest wait for an answer, such as 10s'],
  ['POSTERN_COMPLETION_TIMEOUT', 'longest wait of completion for the service (300ms)'],
  ['POSTERN_DEBUG', 'on: show requests on stderr, secrets left out'],
  ['POSTERN_ACCESSIBLE', '1: the terminal UI appends lines and never redraws'],
  ['NODE_EXTRA_CA_CERTS', 'certificates of a private authority'],
  ['HTTPS_PROXY, HTTP_PROXY', 'the way out; never used for this machine'],
  ['NO_PROXY', 'hosts asked directly'],
  ['NO_COLOR, FORCE_COLOR', 'no colour, or colour in a pipe too'],
  ['COLUMNS', 'width of the output'],
  ['CI', 'set: never ask'],
]

/** Each by its name. */
export const knownVariables = (): readonly string[] => variables.flatMap(([names]) => names.split(', '))

export const environmentTopic = (): string =>
  [
    ...variables.map(([name, meaning]) => `  ${name.padEnd(26)} ${meaning}`),
    '',
    'Precedence: flag > environment > profile > config > built-in.',
    'Who set what: postern auth status --explain',
    'Settings of the service (postern serve) are listed in the README.',
  ].join('\n')
