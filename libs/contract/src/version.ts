/** The version of the product, that of package.json. */
export const version = '0.1.0';
