import type { ServerHealth } from './check-server.ts'

/** Shows the health of a server in one line. */
export function HealthLine({ health }: { readonly health: ServerHealth }) {
  const { isHealthy, version, store, activeRuns } = health
  const parts = [
    version === undefined ? 'Millrace' : `Millrace ${version}`,
    ...(store === undefined ? [] : [`store ${store}`]),
    ...(activeRuns === undefined ? [] : [activeRuns === 1 ? '1 run' : `${activeRuns} runs`]),
  ]
  return (
    <p className="health" data-tone={isHealthy ? 'good' : 'bad'}>
      {parts.join(' · ')}
      {!isHealthy && '. Its store is failing, so nothing can be stored.'}
    </p>
  )
}
