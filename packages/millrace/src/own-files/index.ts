export { claimOwnFile, ownFiles } from './own-files.ts'
