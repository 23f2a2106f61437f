/** What the service is doing: it takes work only when ready. */
export interface State {
  phase: 'starting' | 'ready' | 'draining'
}
