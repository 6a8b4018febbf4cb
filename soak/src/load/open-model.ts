import { subscribe } from 'node:diagnostics_channel'
import type { Server } from 'node:http'
import { createEmulator } from 'millrace-tools/emulator'
import { serve } from 'millrace/node'
import { scenarios } from './scenarios.ts'

/** The emulated model, over real HTTP. */
export interface SoakModel {
  readonly url: string
  /** Closes connections without a request, like providers after a while. */
  readonly closeIdle: () => void
  readonly close: () => Promise<void>
}

/** Starts the model in this process. */
export async function openModel(): Promise<SoakModel> {
  const servers = new Set<Server>()
  // It is the only server of this process.
  subscribe('http.server.request.start', (message) => {
    servers.add((message as { readonly server: Server }).server)
  })
  const emulator = createEmulator({ scenarios, pace: 'instant', seed: 'soak' })
  const { url, close } = await serve({ handler: emulator, port: 0, closeGraceMs: 50 })
  return {
    url,
    close,
    closeIdle: () => {
      for (const server of servers) server.closeIdleConnections()
    },
  }
}
