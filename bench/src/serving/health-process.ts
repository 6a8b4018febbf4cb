import { request } from 'node:http'
import type { HealthFigures } from './watch-health.ts'

const PAUSE_MS = 50
const port = Number(process.argv[2])
let asked = 0
let failed = 0
let worstMs = 0
let startedAt = performance.now()

function ask(): void {
  startedAt = performance.now()
  const settle = (isWell: boolean): void => {
    asked++
    if (!isWell) failed++
    worstMs = Math.max(worstMs, performance.now() - startedAt)
    setTimeout(ask, PAUSE_MS)
  }
  // A separate connection for each request, as with health checks.
  const outgoing = request({ port, host: '127.0.0.1', path: '/health', agent: false })
  outgoing.on('response', (response) => {
    response.resume().on('end', () => settle(response.statusCode === 200))
  })
  outgoing.on('error', () => settle(false))
  outgoing.end()
}

process.on('message', () => {
  // A request without a response yet counts too.
  const figures: HealthFigures = {
    asked,
    failed,
    worstMs: Math.max(worstMs, performance.now() - startedAt - PAUSE_MS),
  }
  process.send?.(figures)
})
process.on('disconnect', () => process.exit())
ask()
