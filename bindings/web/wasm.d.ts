/** The address of the module, from a bundler that copies it and hands its address. For `init`. */
declare const address: string;
export default address;
