/** What the service is doing: it takes work only when ready. */
export interface ServiceState {
  phase: 'starting' | 'ready' | 'draining'
}
