/** What a statement with rules of its own did: all of it (`done`), or nothing, since a rule was against it. */
export type Outcome<Done extends object, Rule extends string> =
  | ({ readonly outcome: 'done' } & Done)
  | { readonly outcome: Rule }
