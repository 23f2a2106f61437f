import type { SettingsSchema } from '../../../server/settings/schema.ts'

type Setting = keyof typeof SettingsSchema.shape

/** What each setting of the service means, in the order in which people look for them. A test holds that none is missing. */
export const settingGroups: Readonly<Record<string, Readonly<Partial<Record<Setting, string>>>>> = {
  'Addresses and networks': {
    HOST: 'The address that the service listens on.',
    PORT: 'The port that it listens on. `0` takes a free one.',
    LISTEN_EARLY:
      'Open the port before the database is ready, and answer 503 until then. Turn it off behind a load balancer without active health checks, such as nginx.',
    STOP_NOTICE:
      'How long an instance that gets SIGTERM goes on serving while `/ready` already says 503, so that load balancers notice. Whatever kills the process in the end, such as systemd after `TimeoutStopSec`, must wait 25 seconds longer than this.',
    WORKERS:
      'Processes that share the port and the limits: `auto` is one per core. See [Workers](operations.md#workers).',
    BASE_URL: 'The public origin of the service. Production requires it, with https unless it is a loopback address.',
    BASE_PATH: 'The prefix of every call.',
    TRUSTED_ORIGINS:
      'Origins of your pages, comma-separated. `https://*.example.com` and custom schemes such as `myapp://` work too. BASE_URL is always trusted.',
    CLIENT_API:
      'The version of better-auth whose codes and messages refusals have, where the versions differ. See [Newer versions](applications.md#newer-versions-of-the-client).',
    CORS_HEADERS:
      'Request headers that trusted pages may send, besides `content-type`, `authorization` and `x-postern-label`.',
    STRICT_ORIGIN: 'Refuse every POST that carries neither an Origin header nor Fetch Metadata.',
    TRUSTED_PROXIES: 'Addresses or ranges whose `X-Forwarded-For` is believed.',
    OUTBOUND_PRIVATE_NETWORKS:
      'Addresses or ranges of your own network at which identity providers may be asked, such as `10.0.0.0/8`.',
    NODE_ENV: '`production` requires SECRET and BASE_URL, and prints no mailed link to the log.',
  },
  Database: {
    DATABASE_URL:
      'The PostgreSQL to use; `?host=/folder` for a socket, `?sslmode=verify-full` for TLS (`require` verifies nothing). Unset: the embedded one.',
    DATABASE_REPLICA_URL:
      'A streaming replica of it, which then answers lists. See [Scaling](scaling.md#lists-from-a-replica).',
    DATA_DIR:
      'Folder of the embedded database and of the development secret. Default: a folder of the user; `/var/lib/postern` for root.',
    DATABASE_POOL: 'Connections that each process may open; each worker is a process.',
    DATABASE_PREPARE: 'Prepared statements. Behind PgBouncer with its usual settings they are off in any case.',
    DATABASE_TIMEOUT: 'Longest wait for a statement. Longer is an outage and is answered with 503.',
    MIGRATE: 'Bring the tables up to date at the start.',
    API_REFERENCE:
      'Serve the page `/reference` below BASE_PATH, which shows every call. By default on, but off in production.',
  },
  Secrets: {
    SECRET: 'Signs cookies and encrypts what is stored. Unset in development: one is made and kept in DATA_DIR.',
    SECRETS: 'Several secrets, comma-separated, newest first, while one replaces another.',
    SERVICE_KEY:
      'Bearer key of your own servers, for the calls that only a server may make. Several, comma-separated, while it changes. Unset: those calls answer 404.',
    IMPORTED_SECRET:
      'The secret of the better-auth from which people [moved in](moving.md#nobody-is-signed-out): its cookies and bearer tokens are accepted for the sessions that came along, and for no others.',
    IMPORTED_COOKIE:
      'The name of its session cookie. Default: `__Secure-better-auth.session_token`, or `better-auth.session_token` where BASE_URL is not https.',
  },
  'Sign-up and addresses': {
    EMAIL_PASSWORD: 'Sign-in with email and password.',
    SIGN_UP: 'Sign-up with email and password.',
    AUTO_SIGN_IN: 'Sign-up starts a session.',
    REQUIRE_EMAIL_VERIFICATION: 'No session before the address is verified.',
    SEND_VERIFICATION_ON_SIGN_UP: 'Send the verification mail at sign-up. Default: as REQUIRE_EMAIL_VERIFICATION.',
    AUTO_SIGN_IN_AFTER_VERIFICATION: 'The first opening of the verification link starts a session.',
    VERIFICATION_EMAIL: 'Offer verification mails.',
    VERIFICATION_LINK:
      '`page`: the link asks for confirmation in any browser except the one that signed up. `direct`: it verifies at once.',
    RESET_PASSWORD: 'Offer password resets, where EMAIL_PASSWORD is on.',
    CHANGE_EMAIL: 'Offer a change of address.',
    DELETE_USER: 'Users may delete their account.',
    DELETE_USER_MODE:
      '`immediate`: with a password or a fresh session. `email`: by a mailed link, in a browser that is signed in, which COOKIE_SAME_SITE can [prevent](security.md#cookies-and-origins).',
    EMAIL_VERIFICATION_EXPIRES_IN: 'Life of a verification link, from the moment it is sent.',
    RESET_PASSWORD_EXPIRES_IN: 'Life of a reset link.',
    DELETE_TOKEN_EXPIRES_IN: 'Life of a deletion link.',
  },
  Passwords: {
    MIN_PASSWORD_LENGTH: 'Shortest password, in characters. A refusal repeats the limit in `X-Limit`.',
    MAX_PASSWORD_LENGTH: 'Longest password, in characters.',
    ARGON2_MEMORY: 'Memory of one hash, in KiB.',
    ARGON2_PASSES: 'Passes of one hash.',
    ARGON2_LANES: 'Lanes of one hash.',
    PASSWORD_QUEUE:
      'Passwords that may wait for each one that is being hashed, at most a quarter of them from one network. Others get 503 and `Retry-After`.',
    PASSWORD_QUEUE_TIMEOUT: 'How long a password waits for its turn before it gets that answer.',
  },
  'Sessions and cookies': {
    SESSION_EXPIRES_IN: 'Idle life of a session.',
    SESSION_UPDATE_AGE: 'How old the last extension must be before a call extends the session again.',
    SESSION_REFRESH: 'Extend sessions at all.',
    SESSION_MAX_AGE: 'Absolute life of a session.',
    SESSION_FRESH_AGE:
      'How long after a sign-in sensitive changes need no password. `0`: a session is always fresh enough.',
    SESSION_LIMIT: 'Sessions that a user may hold.',
    MULTI_SESSION:
      'Accounts that one browser can be signed in to at a time. `0`: a sign-in replaces the one before. See [Several accounts](applications.md#several-accounts-in-one-browser).',
    LAST_LOGIN_METHOD:
      'Tell pages by which method somebody signed in last in this browser. See [Applications](applications.md#the-last-method).',
    COOKIE_CACHE: 'Keep a signed copy of the session in a cookie, which get-session reads instead of the database.',
    COOKIE_CACHE_MAX_AGE:
      'Life of that copy. Another process may miss a revocation for this long, plus the difference between the clocks.',
    COOKIE_PREFIX: 'Prefix of cookie names.',
    COOKIE_HOST_PREFIX: 'Use `__Host-` cookie names. Needs https.',
    COOKIE_DOMAIN:
      'The host of BASE_URL or a parent of it, such as `example.com`: its sub-domains share the session. See [Cookies](security.md#cookies-and-origins).',
    COOKIE_SAME_SITE:
      'Which pages the cookies are sent for: `lax` those of the same site, `strict` not even when another site links here, `none` those of any site. `none` needs https. `strict` and `none` limit how accounts are [linked](security.md#cookies-and-origins) and what mailed links do.',
  },
  Mail: {
    SMTP_URL: 'The mail server: `smtp://user:password@host:587` or `smtps://…`. Unset: mails stay in the outbox.',
    MAIL_FROM: 'The sender: `no-reply@example.com` or `Example <no-reply@example.com>`. SMTP_URL requires it.',
    DEFAULT_LANGUAGE:
      'The language of mails and pages for people who have chosen none, and whose browser or terminal asks for none of these. See [Languages](mail.md#languages).',
  },
  Organizations: {
    ORGANIZATION_CREATION: 'Users may create organizations.',
    ORGANIZATION_DELETION:
      'Owners may delete organizations. Even when off, deleting an account also deletes the organizations in which nobody else is.',
    ORGANIZATION_LIMIT: 'Organizations that a user may be in.',
    CREATOR_ROLE: 'The role of the creator.',
    MEMBERSHIP_LIMIT: 'Members of one organization. Machines do not count.',
    INVITATION_EXPIRES_IN: 'Life of an invitation.',
    INVITATION_URL:
      'The page of your application to which the mail of an invitation leads, like `https://app.example.com/invitation`. `{id}` in it stands for the invitation; without it, the query has `id`. Default: a page of Postern. See [Mailed links](applications.md#mailed-links).',
    INVITATION_LIMIT: 'Pending invitations of one organization.',
    INVITATION_HISTORY: 'How long an invitation is kept after the end of its life.',
    INVITATION_REQUIRES_VERIFIED_EMAIL:
      'Only a user who has proved the mailbox may answer an invitation to it. Off: knowing the id is enough, and every member can see ids.',
    TEAMS: 'Offer teams.',
    DEFAULT_TEAM: 'Create a first team with each organization, under its name.',
    MAXIMUM_TEAMS: 'Teams of one organization.',
    ROLE_LIMIT: 'Roles that one organization can make for itself. 0: none.',
    MAXIMUM_MEMBERS_PER_TEAM: 'Members of one team, machines included.',
    ALLOW_REMOVING_ALL_TEAMS: 'The last team may be removed.',
  },
  'Identity providers': {
    ACCOUNT_LINKING: 'Users may link several accounts.',
    TRUSTED_PROVIDERS: 'Ids of the providers whose statement that an address is verified counts as proof.',
    ALLOW_DIFFERENT_EMAILS: 'Link an account that has another address.',
    ALLOW_UNLINKING_ALL: 'Unlink the last account, or the last one that signs in.',
    UPDATE_ACCOUNT_ON_SIGN_IN: 'Store the tokens and scopes of each sign-in.',
    STATE_COOKIE:
      'A provider sign-in must end in the browser that started it. Turn it off only for clients without cookies.',
    DEVICE_CLIENTS: 'Client ids that may start a device sign-in. Empty: any.',
  },
  'Machine keys': {
    KEY_LIMIT: 'Keys of one organization, and also its trust rules; keys of one person.',
    KEY_EXPIRES_IN: 'Life of a key that is created without one.',
    KEY_MAX_AGE: 'Longest life of a key.',
    KEY_ISSUERS: 'CI providers whose id tokens trust rules may accept. `,`: none.',
  },
  Webhooks: {
    WEBHOOK_PRIVATE_NETWORKS:
      'Addresses or ranges of your own network to which webhooks may be sent. Every owner of an organization can then send requests there.',
    WEBHOOK_LIMIT: 'Webhooks of one organization, and also those of the service.',
  },
  'Tokens for other services': {
    JWT_ALGORITHM: 'Signature algorithm.',
    JWT_EXPIRES_IN: 'Life of a token.',
    JWT_ISSUER: 'The `iss` claim. Default: the origin of BASE_URL.',
    JWT_AUDIENCE: 'The `aud` claim; several audiences with commas. Default: the origin of BASE_URL.',
    JWT_CLAIMS: '`minimal` leaves the fields of the user out.',
    JWT_HEADER: 'Send a token with get-session, in the `set-auth-jwt` header.',
    JWT_ROTATION: 'Age at which a new signing key takes over. `0`: never.',
    JWKS_MAX_AGE: 'How long verifiers may cache the public keys.',
  },
  Administration: {
    ADMIN_USER_IDS: 'Ids of users who are administrators whatever their role.',
    ADMIN_EMAILS: 'Addresses of users who are administrators once they have proved the mailbox.',
    DEFAULT_ROLE: 'The platform role of a new user.',
    DEFAULT_BAN_REASON: 'Reason of a ban that gives none.',
    DEFAULT_BAN_EXPIRES_IN: 'Length of a ban that gives none. Unset: permanent.',
    BANNED_USER_MESSAGE: 'The sentence that a banned user sees.',
    IMPERSONATION_SESSION_DURATION: 'How long an administrator may act as a user.',
    AUDIT_RETENTION: 'How long audit events are kept at least; whole months are dropped. `0`: forever.',
  },
  'Limits, logs and metrics': {
    RATE_LIMIT: 'All rate limits. Their numbers are RATE_LIMITS in the configuration file.',
    LOG_LEVEL: 'The least severe level that is logged.',
    LOG_FORMAT: 'Default: `pretty` on a terminal, otherwise `json`.',
    LOG_TIME: '`iso`: `2026-01-31T12:00:00.000Z`. `epoch`: milliseconds.',
    LOG_LEVEL_NAMES: 'Write `"info"` instead of `30`.',
    METRICS: 'Serve metrics on a port of their own.',
    METRICS_HOST: 'The address that metrics are served on.',
    METRICS_PORT: 'The port that metrics are served on.',
  },
}

/** What each setting of a single provider means. */
export const providerOptionWords: Readonly<Record<string, string>> = {
  APPLE_TEAM_ID:
    'Your team. With the next two, Postern signs the client secrets itself, so APPLE_CLIENT_SECRET is not needed.',
  APPLE_KEY_ID: 'The id of the signing key.',
  APPLE_PRIVATE_KEY: 'The text of the `.p8` file. Line breaks may be written as `\\n`.',
  APPLE_APP_BUNDLE_IDS: 'Your native applications, whose id tokens are accepted too.',
  GOOGLE_AUDIENCES: 'Your other client ids, whose id tokens are accepted too.',
  GOOGLE_HOSTED_DOMAIN: 'Only people of that Workspace domain. `*`: of any Workspace.',
  GOOGLE_ACCESS_TYPE: '`offline` also returns a refresh token, at the first consent. Default: `online`.',
  GOOGLE_PROMPT: '`consent` asks again.',
  MICROSOFT_TENANT: 'Who may sign in. Default: `common`.',
  MICROSOFT_PROMPT: 'What Microsoft asks at each sign-in.',
  FACEBOOK_GRAPH_VERSION: 'Version of the Graph API. A version lives for about two years. Default: `v26.0`.',
  FACEBOOK_CONFIG_ID: 'Configuration of Facebook Login for Business.',
  DISCORD_PROMPT: 'Whether people who agreed before are asked again. Default: `none`.',
  ROBLOX_PROMPT: 'Whether people who agreed before are asked again. Default: `select_account consent`.',
  DROPBOX_ACCESS_TYPE: '`offline` (the default) also returns a refresh token.',
  REDDIT_DURATION: '`permanent` (the default) also returns a refresh token.',
  REDDIT_USER_AGENT: 'Reddit rejects common user agents. Default: made from the client id.',
}
