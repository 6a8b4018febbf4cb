export { serve } from './serve.ts'
export type { RunningServer, Served, ServeOptions } from './serve.ts'
