export { defaultProtocols, json } from './protocols.ts'
